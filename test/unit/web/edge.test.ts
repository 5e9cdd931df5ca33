import { SocialLogin } from '../../../lib/web/edge'
import { rejectionOf } from '../../support/leak-check'
import { good } from '../../support/options'

// In workerd itself, this is tested in `package/consumers`.
const login = new SocialLogin({ ...good, keys: ['k'.repeat(32)] })
const request = new Request(good.callbackURL)
const missing = { type: 'failure', code: 'auth_key_missing' }

/** What the platform has under the name of a built-in module. */
function withWorkers(workers: object | undefined): jest.SpyInstance {
  return jest.spyOn(process, 'getBuiltinModule').mockImplementation(() => workers)
}

afterEach(() => jest.restoreAllMocks())

test('workerd is told to wait for a callback, whose visitor may be gone, also for one that rejects', async () => {
  const waited: unknown[] = []
  const asked = withWorkers({ waitUntil: (work: unknown) => void waited.push(work) })
  expect(await login.callback(request, { user: null })).toMatchObject(missing)
  const rejected = login.callback(request, Object({ user: true }))
  expect(await rejectionOf(rejected)).toBeInstanceOf(TypeError)
  expect(waited).toStrictEqual([expect.any(Promise), expect.any(Promise)])
  expect(await Promise.all(waited)).toStrictEqual([expect.objectContaining(missing), undefined])
  expect(asked.mock.calls).toStrictEqual([['cloudflare:workers'], ['cloudflare:workers']])
})

test.each([[undefined], [{}], [{ waitUntil: 'text' }]])(
  'a platform that has %j under that name is told nothing',
  async (workers) => {
    withWorkers(workers)
    expect(await login.callback(request, { user: null })).toMatchObject(missing)
  },
)

test('a platform without built-in modules is told nothing', async () => {
  const { getBuiltinModule } = process
  Reflect.set(process, 'getBuiltinModule', undefined)
  expect(await login.callback(request, { user: null })).toMatchObject(missing)
  Object.assign(process, { getBuiltinModule })
})
