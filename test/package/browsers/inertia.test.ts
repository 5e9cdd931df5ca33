import { describeRouter } from '../../support/browsers/routers'

const IMPORTS = {
  '@inertiajs/core': '/npm/@inertiajs/core/dist/index.js',
  'es-toolkit': '/npm/es-toolkit/dist/index.mjs',
  'es-toolkit/compat': '/npm/es-toolkit/dist/compat/index.mjs',
  'laravel-precognition': '/npm/laravel-precognition/dist/index.js',
}

/** What the `Link` of each of Inertia's adapters does. */
const LINK = `
import { router, shouldIntercept } from '@inertiajs/core'
const initialPage = { component: 'Home', props: { errors: {} }, url: '/home', version: '1', rememberedState: {} }
router.init({ initialPage, resolveComponent: () => ({}), swapComponent: async () => {} })
const link = document.querySelector('#go')
const { href, dataset: { method = 'get', prefetch } } = link
link.addEventListener('click', (event) => {
  if (!shouldIntercept(event)) return
  event.preventDefault()
  router.visit(href, { method })
})
if (prefetch) link.addEventListener('mouseenter', () => router.prefetch(href, { method }, { cacheFor: 30_000 }))
globalThis.isReady = true
`
const link = (attributes: string): string =>
  `<a id="go" href="/auth/social" ${attributes}>Sign in</a><script type="module">${LINK}</script>`

describeRouter({
  name: 'Inertia',
  head: `<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>`,
  isReady: `globalThis.isReady === true`,
  links: [
    { link: 'a link', html: link('') },
    { link: 'a link that prefetches', html: link('data-prefetch="hover"'), prefetches: true },
    { link: 'a link by POST', html: link('data-method="post"') },
  ],
  // Its protocol has this status for a location of another document.
  says: /the server responded with a status of 409/,
})
