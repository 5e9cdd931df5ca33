import { userIn } from '../../session.mjs'
import { socialLogin } from '../login.js'

// docs/guides/request-response.md#next, block 2
