/**
 * The headers that a browser sends when a link on the application's own page, such as "Sign in", is followed. Send them
 * with the request that starts a login: the strategy requires proof that it comes from the application.
 * @example
 * await supertest(app).get('/auth').set(sameOriginNavigation).expect(302)
 */
export const sameOriginNavigation = Object.freeze({
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  accept: 'text/html',
})

/**
 * The headers that a browser sends when the provider redirects it to the application. Send them with the callback.
 * @example
 * await browser.get(`/callback?auth_key=${authKey}`).set(providerNavigation)
 */
export const providerNavigation = Object.freeze({
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  accept: 'text/html',
})
