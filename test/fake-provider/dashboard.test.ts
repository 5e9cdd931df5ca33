import { type Application, FakeProvider } from '../../lib/testing'
import { ask, cookieOf, exchange, post, type Seen, signInAs, tokenFor, userMe } from '../support/provider-http'

let provider: FakeProvider
let application: Application

beforeEach(async () => {
  provider = await FakeProvider.start()
  application = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/cb' })
})

afterEach(() => provider.stop())

function get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
  return ask(provider.origin + path, { headers })
}

function send(path: string, form: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Seen> {
  return post(provider.origin + path, form, headers)
}

describe('developers', () => {
  test('the URL can be changed, to one that is valid', async () => {
    const seen = await send(`/developers/${application.appID}`, { redirect_url: 'http://localhost:3000/new' })
    expect([seen.status, seen.headers.get('location')]).toStrictEqual([303, '/developers'])
    expect(provider.applications[0]?.redirectURL).toBe('http://localhost:3000/new')
    const invalid = await send('/developers', { name: 'Second', redirect_url: '/cb' })
    expect([invalid.status, provider.applications.length]).toStrictEqual([422, 1])
    expect(invalid.text).toContain('redirectURL must be an absolute http: or https: URL')
    expect((await send('/developers/unknown', { redirect_url: 'http://localhost/' })).status).toBe(422)
  })

  test('the secret can be renewed, which invalidates the old one', async () => {
    await send(`/developers/${application.appID}/secret`)
    const authKey = provider.issueAuthKey({ appID: application.appID, userID: '1' })
    expect((await exchange(provider, application, authKey)).status).toBe(401)
    const [renewed = application] = provider.applications
    expect((await exchange(provider, renewed, authKey)).status).toBe(200)
  })

  test('deleting an application revokes its tokens', async () => {
    const token = await tokenFor(provider, application)
    await send(`/developers/${application.appID}/delete`)
    expect(provider.applications).toStrictEqual([])
    expect((await userMe(provider, token)).status).toBe(401)
  })
})

describe('users', () => {
  const zoe = {
    user_name: 'zoe',
    user_email: 'zoe@people.example',
    user_firstname: 'Zoë',
    user_lastname: 'Washburne',
    user_gender: 'female',
    user_birthdate: '1990-02-15',
    user_picture: 'http://pictures.example/zoe.png',
    user_cover: '/covers/x.svg',
  }

  test('a user can be added with all ten fields', async () => {
    const form = { ...zoe, user_id: '18446744073709551616', user_verified: 'yes' }
    expect((await send('/users', form)).status).toBe(303)
    expect(provider.users.at(-1)).toEqual({ ...form, user_verified: true })
  })

  test('empty fields are null, an empty id is the next number, and a taken one is reported', async () => {
    await send('/users', { user_id: '', user_name: 'zoe', user_email: '' })
    expect(provider.users.at(-1)).toMatchObject({ user_id: '4', user_name: 'zoe', user_email: null, user_cover: null })
    const seen = await send('/users', { ...zoe, user_id: '1' })
    expect([seen.status, seen.text.includes('already taken')]).toStrictEqual([422, true])
  })

  test('a user can be edited and removed; the id stays', async () => {
    expect((await get('/users/1')).text).toContain('value="Lovelace"')
    await send('/users/1', { ...zoe, user_id: '77' })
    expect(provider.users[0]).toEqual({ ...zoe, user_id: '1', user_verified: false })
    await send('/users/1/delete')
    expect(provider.users.map((user) => user.user_id)).not.toContain('1')
    expect((await get('/users/1')).status).toBe(404)
    expect((await send('/users/1', zoe)).status).toBe(422)
  })

  test('an id with special characters has a page and pictures', async () => {
    const user = provider.addUser({ user_id: 'a/b?c#d' })
    expect((await get(`/users/${encodeURIComponent('a/b?c#d')}`)).status).toBe(200)
    expect((await get(user.user_picture ?? '')).headers.get('content-type')).toBe('image/svg+xml')
    expect((await get(user.user_cover ?? '')).headers.get('content-type')).toBe('image/svg+xml')
  })
})

describe('signing in', () => {
  test('sign in, home page, sign out', async () => {
    const cookie = await signInAs(provider, '1')
    expect((await get('/', { cookie })).text).toContain('Ada Lovelace<small>signed in')
    const out = await send('/sign-out', {}, { cookie })
    expect(cookieOf(out)).toBe(`fake_provider_session_${new URL(provider.origin).port}=`)
    expect((await get('/', { cookie: cookieOf(out) })).text).toContain('You are not signed in')
  })

  test('two providers on one host do not sign users out of each other', async () => {
    const second = await FakeProvider.start()
    const [one, two] = [await signInAs(provider, '1'), await signInAs(second, '2')]
    const cookie = `${one}; ${two}`
    expect((await get('/', { cookie })).text).toContain('Ada Lovelace<small>signed in')
    const page = await fetch(second.origin, { headers: { cookie } })
    expect(await page.text()).toContain('Alan Turing<small>signed in')
    await second.stop()
  })

  test('sign-in returns to the login', async () => {
    const seen = await send('/sign-in', { user_id: '2', app_id: application.appID })
    expect(seen.headers.get('location')).toBe(`/api/oauth?app_id=${application.appID}`)
    expect((await send('/sign-in', { user_id: '99' })).status).toBe(400)
  })

  test('a removed user is signed out; a decision without a session redirects to the login', async () => {
    const cookie = await signInAs(provider, '2')
    provider.removeUser('2')
    expect((await get('/', { cookie })).text).toContain('You are not signed in')
    const seen = await send('/approval', { app_id: application.appID, decision: 'approve' }, { cookie })
    expect(seen.headers.get('location')).toBe(`/api/oauth?app_id=${application.appID}`)
    expect((await send('/approval', { app_id: 'unknown', decision: 'approve' }, { cookie })).status).toBe(404)
  })

  test('an approval given for one user is not that of another who has signed in to the browser since', async () => {
    const before = await signInAs(provider, '1')
    const page = await get(`/api/oauth?app_id=${application.appID}`, { cookie: before })
    const [, asked = ''] = /name="user_id" value="([^"]+)"/.exec(page.text) ?? []
    const form = { app_id: application.appID, user_id: asked, decision: 'approve', remember: 'yes' }
    const cookie = await signInAs(provider, '2')
    const seen = await send('/approval', form, { cookie })
    expect(seen.headers.get('location')).toBe(`/api/oauth?app_id=${application.appID}`)
    expect((await get('/', { cookie })).text).not.toContain('My app')
    const approved = await send('/approval', form, { cookie: before })
    expect(approved.headers.get('location')).toContain('auth_key=')
  })
})

describe('all pages', () => {
  test('pictures have no letters, which would be cropped, and a cover is as wide as a page', async () => {
    const [picture, cover] = [(await get('/pictures/1.svg')).text, (await get('/covers/1.svg')).text]
    const sizeOf = (svg: string): string => /viewBox="0 0 (\d+ \d+)"/.exec(svg)?.[1] ?? 'none'
    expect([sizeOf(picture), sizeOf(cover)]).toStrictEqual(['240 240', '1200 400'])
    for (const svg of [picture, cover, (await get('/icon.svg')).text, (await get('/images/blank.svg')).text]) {
      expect(svg).toContain('<linearGradient')
      expect(svg).not.toContain('<text')
    }
    expect((await get('/pictures/2.svg')).text).not.toBe(picture)
  })

  test('only the page of the developers has a script, which copies', async () => {
    for (const path of ['/', '/developers', '/users', '/users/1', '/sign-in', '/nowhere']) {
      const { headers, text } = await get(path)
      const isAllowed = String(headers.get('content-security-policy')).includes("; script-src 'self'")
      expect([path, isAllowed, text.includes('<script')]).toStrictEqual([
        path,
        path === '/developers',
        path === '/developers',
      ])
    }
    const files = [await get('/copy.js'), await get('/style.css'), await get('/icon.svg')]
    expect(files.map(({ status, headers }) => [status, headers.get('content-type')])).toStrictEqual([
      [200, 'text/javascript; charset=utf-8'],
      [200, 'text/css; charset=utf-8'],
      [200, 'image/svg+xml'],
    ])
  })

  test('input of users and developers is escaped', async () => {
    const evil = '"><script>alert(1)</script>'
    provider.registerApplication({ name: evil, redirectURL: 'http://localhost/' })
    provider.updateUser('1', { user_firstname: evil, user_email: evil })
    const cookie = await signInAs(provider, '1')
    const paths = ['/', '/developers', '/users', '/users/1', '/sign-in', '/pictures/1.svg']
    provider.approve({ appID: provider.applications[1]?.appID ?? '', userID: '1' })
    for (const path of [...paths, `/api/oauth?app_id=${application.appID}`]) {
      expect((await get(path, { cookie })).text).not.toMatch(/<script(?! src="\/copy\.js" defer><\/script>)/)
    }
  })

  test('pages accept only their methods', async () => {
    expect((await send('/style.css')).headers.get('allow')).toBe('GET')
    expect((await get('/approval')).status).toBe(405)
    for (const path of ['/nowhere', '/users/1/nowhere', '/__proto__', '/pictures/99.svg', '/covers/99.svg']) {
      expect((await get(path)).status).toBe(404)
    }
    expect((await get('/users/%ff')).status).toBe(404)
    expect((await ask(provider.origin, { method: 'HEAD' })).status).toBe(200)
  })
})

describe('without', () => {
  test('approvals: the home page says so, and lists those that there are', async () => {
    const cookie = await signInAs(provider, '1')
    const none = 'No application signs Ada Lovelace in without asking.'
    expect((await get('/', { cookie })).text).toContain(none)
    provider.approve({ appID: application.appID, userID: '1' })
    const { text } = await get('/', { cookie })
    expect([text.includes(none), text.includes('<li class="person"><span>My app</span>')]).toStrictEqual([false, true])
    const revoked = await send('/approval/revoke', { app_id: application.appID }, { cookie })
    expect([revoked.status, revoked.headers.get('location')]).toStrictEqual([303, '/'])
    expect((await get('/', { cookie })).text).toContain(none)
  })

  test('applications: the page of developers says so', async () => {
    const none = 'No application is registered yet.'
    expect((await get('/developers')).text).not.toContain(none)
    expect((await send(`/developers/${application.appID}/delete`)).status).toBe(303)
    expect((await get('/developers')).text).toContain(none)
  })

  test('users: the sign-in says so', async () => {
    const none = 'There are no users yet.'
    const first = await get('/sign-in')
    expect([first.status, first.text.includes(none), first.text.includes('name="user_id" value="1"')]).toStrictEqual([
      200,
      false,
      true,
    ])
    const [, ...others] = provider.users
    for (const { user_id } of others) provider.removeUser(user_id)
    expect((await get('/sign-in')).text).toContain('name="user_id" value="1"')
    provider.removeUser('1')
    const { text } = await get('/sign-in')
    expect([text.includes(none), text.includes('<form method="post" action="/sign-in">')]).toStrictEqual([true, false])
  })

  test('a name: the user is called by the user name, or by the id', async () => {
    provider.addUser({ user_id: '77', user_firstname: null, user_lastname: 'Only' })
    provider.addUser({ user_id: '78', user_firstname: null, user_lastname: null, user_name: 'nick' })
    provider.addUser({ user_id: '79', user_firstname: null, user_lastname: null, user_name: null })
    const titles = await Promise.all(
      ['77', '78', '79'].map(async (id) => /<h1>(.*?)<\/h1>/.exec((await get(`/users/${id}`)).text)?.[1]),
    )
    expect(titles).toStrictEqual(['Only', 'nick', '79'])
  })
})

test('each decision redirects to a GET', async () => {
  const cookie = await signInAs(provider, '1')
  const { appID } = application
  const login = `/api/oauth?app_id=${appID}`
  const answers = [
    await send('/sign-in', { user_id: '1' }),
    await send('/sign-out', { app_id: appID }, { cookie }),
    await send('/approval', { app_id: appID, decision: 'approve', user_id: '2' }, { cookie }),
    await send('/approval', { app_id: appID, decision: 'cancel' }, { cookie }),
    await send('/developers', { name: 'Second', redirect_url: 'http://localhost/' }),
  ]
  expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toStrictEqual([
    [303, '/'],
    [303, login],
    [303, login],
    [303, '/'],
    [303, '/developers'],
  ])
  const signedOut = (await send('/sign-out', {}, { cookie })).headers.get('set-cookie')
  expect(signedOut).toMatch(/^fake_provider_session_\d+=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/)
})

test('a defect of a page is no refusal, and ends the request', async () => {
  const told = jest.spyOn(console, 'error').mockImplementation(() => {})
  const defect = new SyntaxError('a defect')
  const broken = jest.spyOn(Map.prototype, 'delete').mockImplementationOnce(() => {
    throw defect
  })
  await expect(send('/users/1/delete')).rejects.toThrow()
  expect(told.mock.calls).toStrictEqual([['fake provider:', defect]])
  broken.mockRestore()
  told.mockRestore()
})
