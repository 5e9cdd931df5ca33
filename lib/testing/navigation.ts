/**
 * The headers of a browser in which somebody follows a link of the application's own page, such as "Sign in". Send them with the
 * request that starts a login: the strategy refuses a start without proof that the application itself asked for it.
 *
 * @example
 * await supertest(app).get('/auth').set(sameOriginNavigation).expect(302)
 */
export const sameOriginNavigation = Object.freeze({
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
})

/**
 * The headers of a browser that the provider's redirect brings back to the application. Send them with the callback.
 *
 * @example
 * await browser.get(`/callback?auth_key=${authKey}`).set(providerNavigation)
 */
export const providerNavigation = Object.freeze({
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
})
