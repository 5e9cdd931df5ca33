import { socialLogin } from '$lib/server/login.js'
import { userIn } from '../../../session.mjs'

// docs/guides/request-response.md#sveltekit, block 1
