const assert = require('node:assert/strict')
const { visit } = require('./person.cjs')

const callbacks = { SOCIAL: '/oauth2/redirect/social', LINK: '/connect/social/callback' }
visit('todos.cjs', callbacks, async ({ page, origin, approve, refuseNext }) => {
  const signIn = async (name) => {
    await page.click('text=Sign in with Social')
    await approve(page, name)
  }
  const signOut = async () => {
    await page.goto(`${origin}/`)
    await page.click('text=Sign out')
    await page.waitForSelector('text=Sign in')
  }

  await page.click('text=Sign in')
  await signIn('Ada Lovelace')
  await page.waitForSelector('text=Todos of Ada Lovelace')
  await page.fill('[name=title]', 'Write a note on the engine')
  await page.click('text=Add')
  await page.waitForSelector('text=Write a note on the engine')

  await page.goto(`${origin}/account`)
  assert.deepEqual(await page.locator('li').allInnerTexts(), ['social-login 1'])
  refuseNext()
  await page.click('text=Connect another')
  await approve(page, 'Alan')
  await page.waitForURL('**/account')
  assert.match(await page.innerText('.message'), /refused the auth_key/)
  await page.click('text=Connect another')
  await approve(page, 'Alan')
  await page.waitForURL('**/account')
  assert.deepEqual(await page.locator('li').allInnerTexts(), ['social-login 1', 'social-login 2'])

  await signOut()
  await page.click('text=Active')
  await signIn('Alan')
  await page.waitForURL('**/active') // to where the wall was, as Ada, to whom this account belongs
  await page.waitForSelector('text=Write a note on the engine')

  await signOut()
  await page.click('text=Sign in')
  refuseNext()
  await signIn('Ada Lovelace')
  await page.waitForURL('**/login')
  assert.match(await page.innerText('.message'), /refused the auth_key/)
  await signIn('Ada Lovelace')
  await page.waitForSelector('text=Todos of Ada Lovelace')
})
