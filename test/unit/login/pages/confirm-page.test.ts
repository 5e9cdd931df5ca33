import { type ConfirmPage, confirmPage, withConfirmation } from '../../../../lib/login/pages/confirm-page'
import { WHOLE_PAGE_GUARD } from '../../../../lib/login/pages/page'
import { hashesIn } from '../../../support/pages'

const page: ConfirmPage = {
  path: '/auth?a="&b=1',
  method: 'GET',
  providerOrigin: 'https://social.example',
  displayName: 'Ada & <b>Co</b>',
}
const PROVIDER = 'Ada &amp; &lt;b&gt;Co&lt;/b&gt;'
const LABEL = `<span class="inert" aria-hidden="true" hidden>Continue to ${PROVIDER}</span>`

/** An application's own page, which plain JavaScript may return as anything. */
const own = (html: unknown): ReturnType<typeof confirmPage> => Reflect.apply(confirmPage, undefined, [page, () => html])

test('the page of a GET has a link that is hidden until the guard shows it, and no form', () => {
  const { status, body } = confirmPage(page)
  expect(status).toBe(200)
  expect(body).toContain('<title>Sign in</title>')
  expect(body).toContain(`<h1>Sign in with ${PROVIDER}?</h1>`)
  expect(body).toContain(
    `${LABEL}<a href="./auth?a=&quot;&amp;b=1" rel="nofollow" hidden>Continue to ${PROVIDER}</a></span>`,
  )
  expect(body).not.toContain('<form')
})

test('the page of a POST has a form with a button that is hidden until the guard shows it, and no link', () => {
  const { body } = confirmPage({ ...page, method: 'POST' })
  expect(body).toContain('<form method="post" action="./auth?a=&quot;&amp;b=1"><span class="action">')
  expect(body).toContain(`${LABEL}<button hidden>Continue to ${PROVIDER}</button></span></form>`)
  expect(body).not.toContain('<a ')
})

test.each([
  ['our page', confirmPage(page), (styles: string) => `style-src ${styles}; img-src data:`],
  [
    'a page of the application',
    own('<p>Go on'),
    () => "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'",
  ],
])('%s runs the guard only, is never framed or kept, and leads to the provider only', (_title, response, rest) => {
  const { styles, scripts } = hashesIn(response.body)
  expect(response.headers).toEqual({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; ${rest(styles)}; script-src ${scripts}; form-action 'self' https://social.example; base-uri 'none'; frame-ancestors 'none'`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'same-origin',
  })
})

test.each([
  ['', '<p>Go on'],
  ['', '<p><!doctype html>'],
  ['', '<!-- <!doctype html> --><p>'],
  ['', '<!-- a --><p>--><!doctype html>'],
  ['', '<?a><p><!doctype html>'],
  ['', '<?a <!doctype html>'],
  ['<!doctype html>', '<p title=">">Go on'],
  ['\n \t<!DOCTYPE html SYSTEM "x">', '<p>'],
  ['<!-- a -\n b -->\n<!----><!doctype html>', '<p>-->'],
  ['<?xml version="1.0"?><?b?><!doctype html>', '<p>?>'],
])('the guard comes after %j and before %j', (doctype, rest) => {
  const { status, body } = own(doctype + rest)
  expect([status, body]).toStrictEqual([200, `${doctype}\n${WHOLE_PAGE_GUARD}\n${rest}`])
})

test.each([[undefined], [null], [7], [Promise.resolve('<p>')], [{ catch: 7 }]])('%p is no page', (html) => {
  expect(() => own(html)).toThrow(new TypeError('confirmPage must return a string, not a promise'))
})

test('a promise that is rejected is no page either, and is not left unhandled', async () => {
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  expect(() => own(Promise.reject(new Error('no template')))).toThrow(TypeError)
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

test.each([
  ['/auth', '/auth?social_login_confirmed=v'],
  ['/auth?', '/auth?social_login_confirmed=v'],
  ['/auth?a=1&b', '/auth?a=1&b&social_login_confirmed=v'],
  ['/auth?&a=1&', '/auth?a=1&social_login_confirmed=v'],
  ['/auth?a=1?b=2', '/auth?a=1?b=2&social_login_confirmed=v'],
  ['/auth?social_login_confirmed=1&a=1&social_login_confirmed=', '/auth?a=1&social_login_confirmed=v'],
  ['/auth?social_login_confirmed2=1&social_login_confirmed', undefined],
])('of %j the confirmed path is %j', (path, confirmed = `${path}&social_login_confirmed=v`) => {
  expect(withConfirmation(path, 'v')).toBe(confirmed)
})
