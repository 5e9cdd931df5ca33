import { Deadline } from '../../../lib/client/deadline'
import { rejectionOf } from '../../support/leak-check'
import { WatchedDeadline } from '../../support/watched-deadline'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('a deadline that is cleared leaves no timer', () => {
  const deadline = new Deadline(1000)
  expect(jest.getTimerCount()).toBe(1)
  deadline.clear()
  expect(jest.getTimerCount()).toBe(0)
})

test('a deadline ends once: by the signal, or by its time, whichever is first', () => {
  const controller = new AbortController()
  const ends: unknown[] = []
  const deadline = new Deadline(1000, controller.signal)
  deadline.onEnd((reason) => ends.push(reason))
  controller.abort('the user left')
  jest.advanceTimersByTime(2000)
  expect([ends, deadline.signal.aborted, deadline.expired]).toStrictEqual([['the user left'], true, false])
})

test('at the end, a listener that another one has stopped is not called', () => {
  const deadline = new Deadline(1000)
  const called: string[] = []
  deadline.onEnd(() => {
    called.push('first')
    stopSecond()
  })
  const stopSecond = deadline.onEnd(() => called.push('second'))
  jest.advanceTimersByTime(1000)
  expect(called).toStrictEqual(['first'])
})

test('a race that is over keeps nothing of its deadline', async () => {
  const deadline = new WatchedDeadline(1000)
  await deadline.race(Promise.resolve())
  await rejectionOf(deadline.race(Promise.reject(new Error('away'))))
  expect(deadline.listeners.size).toBe(0)
  deadline.clear()
})

test('a pause ends with its deadline, or leaves nothing of itself', async () => {
  const deadline = new Deadline(1000)
  const ended = rejectionOf(deadline.pause(5000))
  jest.advanceTimersByTime(1000)
  expect(await ended).toMatchObject({ name: 'TimeoutError' })
  expect(jest.getTimerCount()).toBe(0)
})

const PASSED = 'TimeoutError: The deadline has passed.'

test('a deadline tells how much time is left, and that it has ended', () => {
  const deadline = new Deadline(1000)
  expect([deadline.remaining, deadline.signal.aborted, deadline.expired]).toStrictEqual([1000, false, false])
  jest.advanceTimersByTime(400)
  expect(deadline.remaining).toBe(600)
  jest.advanceTimersByTime(600)
  expect([deadline.remaining, String(deadline.signal.reason), deadline.expired]).toStrictEqual([0, PASSED, true])
})

test('no time is left before the timer has run, either, nor once the caller has left', () => {
  const late = new Deadline(1000)
  const now = performance.now()
  const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 1500)
  expect([late.remaining, late.signal.aborted]).toStrictEqual([0, false])
  clock.mockRestore()
  late.clear()
  const left = new Deadline(1000, AbortSignal.abort('left'))
  expect([left.remaining, left.signal.reason, left.expired]).toStrictEqual([0, 'left', false])
  left.clear()
})

test.each([
  ['a timeout of the caller', new DOMException('late', 'TimeoutError'), true],
  ['another exception', new DOMException('late', 'AbortError'), false],
  ['an error of that name', Object.assign(new Error('late'), { name: 'TimeoutError' }), false],
  ['nothing', undefined, false],
])('%s is, or is not, the end of the time', (_what, reason, expired) => {
  const deadline = new Deadline(1000, AbortSignal.abort(reason))
  expect(deadline.expired).toBe(expired)
  deadline.clear()
})

test('who listens is told once, in time or soon, unless it has stopped listening', () => {
  const deadline = new Deadline(1000)
  const told: string[] = []
  const listener = (name: string) => (reason: unknown) => void told.push(`${name}: ${reason}`)
  deadline.onEnd(listener('early'))
  deadline.onEnd(listener('stopped'))()
  jest.advanceTimersByTime(1000)
  deadline.onEnd(listener('late'))
  expect(told).toStrictEqual([`early: ${PASSED}`])
  jest.runAllTicks()
  expect(told).toStrictEqual([`early: ${PASSED}`, `late: ${PASSED}`])
})

test('a deadline that is cleared has nothing to do with the signal of its caller any more', () => {
  const controller = new AbortController()
  const [add, remove] = (['addEventListener', 'removeEventListener'] as const).map((method) =>
    jest.spyOn(controller.signal, method),
  )
  const deadline = new Deadline(1000, controller.signal)
  deadline.clear()
  const listener = add?.mock.calls[0]?.[1]
  expect(add?.mock.calls).toStrictEqual([['abort', listener, { once: true }]])
  expect(remove?.mock.calls).toStrictEqual([['abort', listener]])
})

test('a signal of a deadline aborts with its end, once it is made or when it is', () => {
  const deadline = new Deadline(1000)
  const early = deadline.signal
  expect(early.aborted).toBe(false)
  jest.advanceTimersByTime(1000)
  expect([early, deadline.signal].map(({ aborted, reason }) => [aborted, String(reason)])).toStrictEqual([
    [true, PASSED],
    [true, PASSED],
  ])
})

test('a race has the result of the work, its error, or the end of the deadline', async () => {
  const deadline = new Deadline(1000)
  const work = rejectionOf(deadline.race(new Promise(() => {})))
  expect(await deadline.race(Promise.resolve(7))).toBe(7)
  expect(await rejectionOf(deadline.race(Promise.reject(new Error('away'))))).toEqual(new Error('away'))
  jest.advanceTimersByTime(1000)
  expect(String(await work)).toBe(PASSED)
})

test('a pause lasts as long as it says, and leaves no listener', async () => {
  const deadline = new WatchedDeadline(5000)
  await deadline.pause(0)
  let isOver = false
  const pause = deadline.pause(1000).then(() => {
    isOver = true
  })
  await jest.advanceTimersByTimeAsync(999)
  expect(isOver).toBe(false)
  await jest.advanceTimersByTimeAsync(1)
  await pause
  expect([deadline.listeners.size, jest.getTimerCount()]).toStrictEqual([0, 1])
  deadline.clear()
})
