export { start as GET } from '../login.js'
