import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const logins = useLogins('all tests')

// An id is unique at its provider alone, so the people of two providers who sign in to one application may have the same.
test.each([
  ['provider', { provider: 'chess', id: '1' }, { provider: 'garden', id: '1' }],
  ['iss', { iss: 'https://chess.example', sub: '1' }, { iss: 'https://garden.example', sub: '1' }],
])(
  'a login that one person began is not finished by another with the same id and another %s',
  async (_what, ...people) => {
    const app = await logins.startApp({
      before: (express) =>
        express.get('/as/:index', (req, res, next) => {
          const person = people[Number(req.params.index)] ?? {}
          req.logIn(person, { session: true, keepSessionInfo: true }, (error) => (error ? next(error) : res.json({})))
        }),
    })
    for (const [callbackAs, status] of [
      [0, 200],
      [1, 403],
    ] as const) {
      const browser = new Browser()
      await browser.follow(`${app.origin}/as/0`)
      await browser.follow(app.loginURL)
      await browser.follow(`${app.origin}/as/${callbackAs}`)
      expect((await browser.comeBack(app.approvedCallback())).status).toBe(status)
    }
  },
)
