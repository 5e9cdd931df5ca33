const { visit } = require('./person.cjs')

visit('popup.cjs', { SOCIAL: '/auth/social/callback' }, async ({ page, approve, refuseNext }) => {
  const inPopup = async (button, name) => {
    const opened = page.waitForEvent('popup')
    await page.click(`text=${button}`)
    const popup = await opened
    const closed = popup.waitForEvent('close')
    await approve(popup, name)
    await closed
  }
  const shows = (...texts) => Promise.all(texts.map((text) => page.waitForSelector(`text=${text}`)))

  await inPopup('Sign in', 'Ada Lovelace')
  await shows('sign in: Ada Lovelace', 'Ada Lovelace: 1')
  await inPopup('Link another', 'Alan')
  await shows('link: Ada Lovelace', 'Ada Lovelace: 1 and 2')
  await page.click('text=Sign out')
  await shows('Signed out', 'Nobody')
  refuseNext()
  await inPopup('Sign in', 'Alan')
  await shows('refused the auth_key', 'Nobody')
  await inPopup('Link another', 'Grace')
  await shows('did not accept', 'Nobody')
  await inPopup('Sign in', 'Alan')
  await shows('sign in: Ada Lovelace', 'Ada Lovelace: 1 and 2')
})
