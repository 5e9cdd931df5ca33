import { describeRouter } from '../../support/browsers/routers'

const form = (method: string): string =>
  `<form method="${method}" action="/auth/social"><button id="go">Sign in</button></form>`
const LINK = '<a id="go" href="/auth/social">Sign in</a>'

describeRouter({
  name: 'Turbo',
  head: '<script src="/npm/@hotwired/turbo/dist/turbo.es2017-umd.js"></script>',
  isReady: `document.readyState === 'complete' && typeof Turbo === 'object'`,
  links: [
    { link: 'a link', html: LINK, prefetches: true },
    { link: 'a link without prefetch', html: `<div data-turbo-prefetch="false">${LINK}</div>` },
    { link: 'a link in a frame', html: `<turbo-frame id="main">${LINK}</turbo-frame>`, prefetches: true },
    { link: 'a form by GET', html: form('get') },
    { link: 'a form by POST', html: form('post') },
    { link: 'a form in a frame', html: `<turbo-frame id="main">${form('post')}</turbo-frame>` },
    { link: 'a link with data-turbo-method', html: LINK.replace('href', 'data-turbo-method="post" href') },
    { link: 'a link with data-turbo-stream', html: LINK.replace('href', 'data-turbo-stream href') },
  ],
  says: /is performing a full page visit due to turbo-visit-control/,
})
