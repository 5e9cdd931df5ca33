import { Deadline } from '../../../lib/client/deadline'
import { Semaphore } from '../../../lib/client/semaphore'
import { rejectionOf } from '../../support/leak-check'
import { WatchedDeadline } from '../../support/watched-deadline'

const deadlines: Deadline[] = []
const newDeadline = (milliseconds = 5000): Deadline => {
  const deadline = new Deadline(milliseconds)
  deadlines.push(deadline)
  return deadline
}
afterEach(() => {
  for (const deadline of deadlines.splice(0)) deadline.clear()
})
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('there are as many slots as were asked for, and a released one can be acquired again', () => {
  const semaphore = new Semaphore(2)
  expect([1, 2, 3].map(() => semaphore.tryAcquire())).toStrictEqual([true, true, false])
  semaphore.release()
  expect([1, 2].map(() => semaphore.tryAcquire())).toStrictEqual([true, false])
})

test('who waits gets the slot that is released, also by work that fails', async () => {
  const semaphore = new Semaphore(1)
  semaphore.tryAcquire()
  const failing = rejectionOf(semaphore.run(newDeadline(), () => Promise.reject(new Error('away'))))
  const next = semaphore.run(newDeadline(), async () => 'done')
  semaphore.release()
  expect(await failing).toEqual(new Error('away'))
  expect(await next).toBe('done')
  expect(semaphore.isIdle).toBe(true)
})

test('who waits leaves at the deadline, and takes no slot later', async () => {
  const semaphore = new Semaphore(1)
  semaphore.tryAcquire()
  const work = jest.fn(async () => {})
  expect(await rejectionOf(semaphore.run(newDeadline(20), work))).toMatchObject({ name: 'TimeoutError' })
  semaphore.release()
  await turn()
  expect(work).not.toHaveBeenCalled()
  expect([semaphore.isIdle, semaphore.tryAcquire()]).toStrictEqual([true, true])
})

test('close waits until all slots are released, lets present waiters finish, and grants no further ones', async () => {
  const semaphore = new Semaphore(1)
  semaphore.tryAcquire()
  const waiting = semaphore.run(newDeadline(), async () => 'done')
  let isClosed = false
  const closed = semaphore.close().then(() => {
    isClosed = true
  })
  await turn()
  expect([isClosed, semaphore.tryAcquire()]).toStrictEqual([false, false])
  expect(await rejectionOf(semaphore.run(newDeadline(), async () => {}))).toEqual(
    new Error('The connections to the provider are closed'),
  )
  semaphore.release()
  expect(await waiting).toBe('done')
  await closed
})

test('slots go to those who wait, in their order, and to nobody who has left', async () => {
  const semaphore = new Semaphore(1)
  semaphore.tryAcquire()
  const controller = new AbortController()
  const leaving = new Deadline(5000, controller.signal)
  deadlines.push(leaving)
  const order: string[] = []
  const wait = (name: string, deadline: Deadline): Promise<unknown> =>
    semaphore.acquire(deadline).then(
      () => order.push(name),
      (reason) => order.push(`${name} left: ${reason}`),
    )
  const all = [wait('first', newDeadline()), wait('second', leaving), wait('third', newDeadline())]
  controller.abort('closed the window')
  semaphore.release()
  semaphore.release()
  await Promise.all(all)
  expect(order).toStrictEqual(['second left: closed the window', 'first', 'third'])
  expect([semaphore.isIdle, semaphore.tryAcquire()]).toStrictEqual([false, false])
  semaphore.release()
  expect(semaphore.isIdle).toBe(true)
})

test('who has got a slot is not told of the end of its deadline', async () => {
  const semaphore = new Semaphore(1)
  semaphore.tryAcquire()
  const deadline = new WatchedDeadline(5000)
  deadlines.push(deadline)
  const acquired = semaphore.acquire(deadline)
  semaphore.release()
  await acquired
  expect(deadline.listeners.size).toBe(0)
})

test('close waits for nothing where no slot is in use, and may be called by several', async () => {
  const semaphore = new Semaphore(2)
  await semaphore.close()
  // Not even a free slot is granted then.
  expect(semaphore.tryAcquire()).toBe(false)
  const busy = new Semaphore(2)
  busy.tryAcquire()
  busy.tryAcquire()
  const ended: string[] = []
  const closing = ['one', 'two'].map((name) => busy.close().then(() => ended.push(name)))
  busy.release()
  await turn()
  expect(ended).toStrictEqual([])
  busy.release()
  await Promise.all(closing)
  expect(ended).toStrictEqual(['one', 'two'])
})
