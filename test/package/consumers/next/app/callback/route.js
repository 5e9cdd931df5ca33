import { sessionOf, userIn } from '../../session.mjs'
import { socialLogin } from '../login.js'

// docs/web.md#next, block 3
