import { isThenable, refusePromise, withTimeout } from '../../lib/promises'
import { rejectionOf } from '../support/leak-check'

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }))
afterEach(() => void jest.useRealTimers())

const PASSED = 'TimeoutError: The deadline has passed.'

test('what takes too long is given up with the reason, and its timer is cleared in any case', async () => {
  const late = rejectionOf(withTimeout(1000, new Promise(() => {}), () => new RangeError('late')))
  jest.advanceTimersByTime(1000)
  expect(await late).toEqual(new RangeError('late'))
  await withTimeout(1000, Promise.resolve())
  await rejectionOf(withTimeout(1000, Promise.reject(new Error('away'))))
  expect(jest.getTimerCount()).toBe(0)
})

test('what is in time has its own result, or its own error; without a reason, the end of the time is told', async () => {
  expect(await withTimeout(1000, Promise.resolve(7))).toBe(7)
  expect(await rejectionOf(withTimeout(1000, Promise.reject(new Error('away'))))).toEqual(new Error('away'))
  const late = rejectionOf(withTimeout(1000, new Promise(() => {})))
  jest.advanceTimersByTime(1000)
  expect(String(await late)).toBe(PASSED)
})

test.each<[value: unknown, isPromise: boolean]>([
  [Promise.resolve(), true],
  [Object.fromEntries([['then', () => {}]]), true],
  [Object.assign(() => {}, Object.fromEntries([['then', () => {}]])), true],
  [Object.fromEntries([['then', 'next']]), false],
  [{}, false],
  [() => {}, false],
  [null, false],
  [undefined, false],
  ['then', false],
  [7, false],
])('number %#: %p is a promise: %p', (value, isPromise) => {
  expect(isThenable(value)).toBe(isPromise)
})

/** What `await` takes for a promise. */
const thenable = (target: object): object =>
  Object.defineProperty(target, 'then', {
    value: (_resolve: unknown, reject: (error: Error) => void) => reject(new Error()),
  })

test.each<[kind: string, promise: () => unknown]>([
  ['of Node', () => Promise.reject(new Error())],
  ['of another class', () => thenable({})],
  ['that is a function', () => thenable(() => {})],
])('a promise %s is refused, and its rejection does not end the process', async (_kind, promise) => {
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  expect(() => refusePromise(promise(), 'await it first')).toThrow(new TypeError('await it first'))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

test('what is no promise is not refused', () => {
  for (const value of [undefined, null, 'then', 7, {}, () => {}]) refusePromise(value, 'await it first')
})
