import { Deadline, withTimeout } from '../../../lib/client/deadline'
import { rejectionOf } from '../../support/leak-check'

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
  deadline.addListener((reason) => ends.push(reason))
  controller.abort('the user left')
  jest.advanceTimersByTime(2000)
  expect([ends, deadline.ended, deadline.expired]).toEqual([['the user left'], { reason: 'the user left' }, false])
})

test('a race that is over keeps nothing of its deadline', async () => {
  const deadline = new Deadline(1000)
  const [add, remove] = [jest.spyOn(deadline, 'addListener'), jest.spyOn(deadline, 'removeListener')]
  await deadline.race(Promise.resolve())
  await rejectionOf(deadline.race(Promise.reject(new Error('away'))))
  expect(add.mock.calls).toHaveLength(2)
  expect(remove.mock.calls).toEqual(add.mock.calls)
  deadline.clear()
})

test('a pause ends with its deadline, or leaves nothing of itself', async () => {
  const deadline = new Deadline(1000)
  const ended = rejectionOf(deadline.pause(5000))
  jest.advanceTimersByTime(1000)
  expect(await ended).toMatchObject({ name: 'TimeoutError' })
  expect(jest.getTimerCount()).toBe(0)
})

test('what takes too long is given up with the reason, and its timer is cleared in any case', async () => {
  const late = rejectionOf(withTimeout(1000, new Promise(() => {}), () => new RangeError('late')))
  jest.advanceTimersByTime(1000)
  expect(await late).toEqual(new RangeError('late'))
  await withTimeout(1000, Promise.resolve())
  await rejectionOf(withTimeout(1000, Promise.reject(new Error('away'))))
  expect(jest.getTimerCount()).toBe(0)
})
