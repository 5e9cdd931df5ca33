import { relativePath } from '../../../../lib/login/pages/page'

// Relative, so that a proxy that takes a prefix off both paths does not matter: `URL` resolves as browsers do.
test.each([
  ['/callback', '/auth?next=/a/b'],
  ['/auth/callback', '/auth/start'],
  ['/auth/social-login/callback', '/auth/social-login'],
  ['/auth/social-login', '/auth/social-login/callback?a=1'],
  ['/a/b/c/callback', '/'],
  ['/callback', '/'],
  ['/', '/auth'],
  ['/a/callback', '/b/start'],
  ['/a/', '/a'],
  ['/a', '/a/'],
  ['/a//b/callback', '/a//start'],
  ['/callback', '/javascript:alert(1)'],
  ['/callback?x=/y/z', '/auth'],
])('from %s the link to %s leads there, also behind a prefix', (from, to) => {
  for (const prefix of ['', '/app', '/app/two']) {
    const base = `https://app.example${prefix}${from}`
    expect(new URL(relativePath(from, to), base).href).toBe(`https://app.example${prefix}${to}`)
  }
  expect(relativePath(from, to)).toMatch(/^\.\.?\//)
})
