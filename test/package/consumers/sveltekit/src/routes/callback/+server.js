import { socialLogin } from '$lib/server/login.js'
import { sessionOf, userIn } from '../../../session.mjs'

// docs/web.md#sveltekit, block 2
