import { sessionOf, userIn } from '../session.mjs'

// docs/web.md#next-sveltekit-or-no-framework, block 1

// docs/web.md#next-sveltekit-or-no-framework, block 2

export { finish, start }
