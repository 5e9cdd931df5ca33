import { renderPage, WHOLE_PAGE_GUARD } from '../../../../lib/login/pages/page'

// Browsers are tested in `security/browsers/double-click`.
test.each([
  ['a page of ours', renderPage({ title: 'Sign in', main: '' }).body],
  ['a page of the application', WHOLE_PAGE_GUARD],
])('%s is inert for 0.8 seconds, with scripts and without', (_title, html) => {
  expect(html).toContain(' animation: social-login-guard 800ms ')
  expect(html).toContain("setTimeout(() => classList.remove('social-login-guard'), 800)")
})
