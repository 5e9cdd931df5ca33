import { describeRouter } from '../../support/browsers/routers'

describeRouter({
  name: 'htmx',
  head: '<script src="/npm/htmx.org/dist/htmx.min.js"></script>',
  isReady: `document.readyState === 'complete' && typeof htmx === 'object'`,
  links: [
    { link: 'hx-boost', html: '<div hx-boost="true"><a id="go" href="/auth/social">Sign in</a></div>' },
    { link: 'hx-get', html: '<button id="go" hx-get="/auth/social">Sign in</button>' },
    { link: 'hx-post', html: '<button id="go" hx-post="/auth/social">Sign in</button>' },
    {
      link: 'a boosted form',
      html: '<form hx-boost="true" method="post" action="/auth/social"><button id="go">Sign in</button></form>',
    },
  ],
})
