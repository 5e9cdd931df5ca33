import { nodeNetwork } from '../../../../lib/client/http/pools'
import { type LoginSettings, refuseOwnAddress } from '../../../../lib/login/providers/provider'
import { parseLoginOptions } from '../../../../lib/login/providers/settings'
import { good, required } from '../../../support/options'

async function settingsOf(options: object = {}, ofCall?: string): Promise<LoginSettings> {
  // An application may share its options, and so nothing is written into them.
  return parseLoginOptions(Object.freeze({ ...good, ...options }), nodeNetwork).find(
    () => undefined,
    () => 'start',
    ofCall,
  )
}

async function settingsOfMany(own: object = {}, ofCall?: string): Promise<LoginSettings> {
  const provider = { name: 'chess', ...required, ...own }
  const callbackURL = 'https://app.example/:provider/callback'
  return parseLoginOptions({ provider: () => provider, callbackURL }, nodeNetwork).find(
    () => provider,
    () => 'start',
    ofCall,
  )
}

test('a provider whose options are left out is known by its API, and named like the strategy', async () => {
  const settings = await settingsOf()
  expect(settings).toMatchObject({
    appOrigin: 'https://app.example',
    callbackPath: '/auth/callback',
    isCallbackCaseSensitive: false,
    providerOrigin: 'https://social.example',
    displayName: 'social.example',
    providerName: 'social-login',
    isOneOfMany: false,
    identity: ['social-login', 'social-login', 'https://social.example/api/v1', 'app-id'],
  })
  expect(settings.endpoints.loginURL).toBe('https://social.example/api/oauth?app_id=app-id')
})

test('its login page, its names and the path of its callback may be others', async () => {
  const authorizationURL = 'https://login.social.example:8443/page'
  const options = { name: 'chess', displayName: 'Chess Club', authorizationURL, callbackURL: '/callback' }
  const settings = await settingsOf(options)
  expect(settings).toMatchObject({
    appOrigin: undefined,
    callbackPath: '/callback',
    providerOrigin: 'https://login.social.example:8443',
    displayName: 'Chess Club',
    providerName: 'chess',
    identity: ['chess', 'chess', 'https://social.example/api/v1', 'app-id'],
  })
  expect(settings.endpoints.loginURL).toBe(`${authorizationURL}?app_id=app-id`)
})

test('without a name of its own, a provider is called by the host of its login page, with a port', async () => {
  const { displayName } = await settingsOf({ authorizationURL: 'https://login.social.example:8443/page' })
  expect(displayName).toBe('login.social.example:8443')
})

test('one provider of many is known by its own name, in diagnostics, too', async () => {
  expect(await settingsOfMany()).toMatchObject({
    providerName: 'chess',
    isOneOfMany: true,
    callbackPath: '/chess/callback',
    isCallbackCaseSensitive: true,
    identity: ['social-login', 'chess', 'https://social.example/api/v1', 'app-id'],
    onExchanged: expect.any(Function),
  })
})

test.each([
  ['/other', '/other', 'https://app.example'],
  ['https://app.example/other', '/other', 'https://app.example'],
  ['https://www.app.example/other', '/other', 'https://www.app.example'],
  ['http://www.app.example/auth/callback', '/auth/callback', 'http://www.app.example'],
])('a call with the callbackURL %s has the path %s and the origin %s', async (callbackURL, callbackPath, appOrigin) => {
  expect(await settingsOf({}, callbackURL)).toMatchObject({ callbackPath, appOrigin })
  expect(await settingsOf()).toMatchObject({ callbackPath: new URL(good.callbackURL).pathname })
})

test('the callbackURL of a call is checked as the option is', async () => {
  for (const find of [settingsOf, settingsOfMany])
    await expect(find({}, 'callback')).rejects.toThrow(
      'callbackURL must be an absolute http(s) URL, or a path that starts with /',
    )
})

const OWN = 'baseURL and authorizationURL must not be at the address of this application'

test.each([
  ['its API', { authorizationURL: 'https://login.example/page' }, 'https://social.example/callback'],
  ['its API, by plain http', { authorizationURL: 'https://login.example/page' }, 'http://social.example/callback'],
  ['its login page', { authorizationURL: 'https://login.example/page' }, 'https://login.example/callback'],
])('a call that gives a callback at one of many providers, at %s, is refused', async (_title, own, callbackURL) => {
  await expect(settingsOfMany(own, callbackURL)).rejects.toMatchObject({
    code: 'provider_invalid',
    message: expect.stringContaining(OWN),
  })
  for (const other of ['https://social.example:8443/callback', 'https://www.login.example/callback', '/callback'])
    expect(await settingsOfMany(own, other)).toHaveProperty('callbackPath', '/callback')
})

test('an application may be its own provider, if that is the only one', async () => {
  const callbackURL = 'https://social.example/other'
  const settings = await settingsOf({ callbackURL: 'https://social.example/callback' }, callbackURL)
  expect(settings).toHaveProperty('appOrigin', 'https://social.example')
})

test('an address that only the header Host tells is not compared', async () => {
  const settings = await settingsOf({ callbackURL: '/callback' })
  expect(() => refuseOwnAddress(settings)).not.toThrow()
})
