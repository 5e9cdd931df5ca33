export { finish as GET } from '../login.js'
