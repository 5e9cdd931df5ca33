import { socialLogin } from '$lib/server/login.js'
import { userIn } from '../../../session.mjs'

// docs/web.md#sveltekit, block 1
