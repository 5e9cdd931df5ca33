import { sessionOf, userIn } from '../session.mjs'

// docs/guides/request-response.md#next-sveltekit-or-no-framework, block 1

// docs/guides/request-response.md#next-sveltekit-or-no-framework, block 2

export { finish, start }
