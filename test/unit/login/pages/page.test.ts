import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderPage, WHOLE_PAGE_GUARD } from '../../../../lib/login/pages/page'
import { hashesIn } from '../../../support/pages'

/** A page as it was looked at in browsers (`security/browsers`): each rule of its style and line of its script counts. */
function seen(name: string): string {
  return readFileSync(join(__dirname, '../../../../../test/fixtures/pages', name), 'utf8')
}

test('the whole page is as it was seen in browsers, with its text escaped in the title', () => {
  const main = '<h1>Sign in?</h1>'
  const page = renderPage({ title: 'Ada & <Co>', main, script: 'go()', providerOrigin: 'https://social.example' })
  expect(page.body).toBe(seen('with-script.txt'))
  const { styles, scripts } = hashesIn(page.body)
  expect(page.headers['Content-Security-Policy']).toBe(
    `default-src 'none'; style-src ${styles}; img-src data:; script-src ${scripts}; form-action 'self' https://social.example; base-uri 'none'; frame-ancestors 'none'`,
  )
  const { body } = renderPage({ title: 'Ada & <Co>', main })
  expect(body).toBe(seen('with-script.txt').replace('\n<script>go()</script>', ''))
})

test('what guards a page of the application is as it was seen in browsers', () => {
  expect(`${WHOLE_PAGE_GUARD}\n`).toBe(seen('guard.txt'))
})
