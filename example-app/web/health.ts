import { setTimeout as sleep } from 'node:timers/promises'
import { Router } from 'express'
import type { Database } from '../storage/database'
import type { Logger } from './logger'

const ANSWER_WITHIN_MS = 1500
const CHECK_EVERY_MS = 1000

/** The health check for load balancers. It fails when the database is unusable and as soon as the process is stopping. */
export function healthRoutes(database: Database, isStopping: () => boolean, logger: Logger): Router {
  const isUsable = regularCheck(database, logger)
  const router = Router()
  router.get('/healthz', async (_req, res) => {
    res.set('Cache-Control', 'no-store')
    if (isStopping()) return void res.status(503).json({ status: 'stopping' })
    const isGood = await isUsable()
    res.status(isGood ? 200 : 503).json({ status: isGood ? 'ok' : 'database unusable' })
  })
  return router
}

/**
 * Checks whether the database can store data. However many requests ask, there is at most one check a second and one at a
 * time, whose result they share. A check that takes too long counts as failed until it has finished.
 */
function regularCheck(database: Database, logger: Logger): () => Promise<boolean> {
  let begunAt = Number.NEGATIVE_INFINITY
  let isUnderWay = false
  let isDown = false
  let result: Promise<boolean>

  // Logs each outage only once, because load balancers may ask every second.
  const note = (problem?: unknown): boolean => {
    if (problem && !isDown) logger.error({ err: problem }, 'the database cannot be used: 503 at /healthz')
    if (!problem && isDown) logger.info('the database can be used again')
    isDown = problem !== undefined
    return !isDown
  }
  const begin = async (): Promise<boolean> => {
    begunAt = performance.now()
    isUnderWay = true
    return database
      .check()
      .then(() => note(), note)
      .finally(() => {
        isUnderWay = false
      })
  }
  return () => {
    if (!isUnderWay && performance.now() - begunAt > CHECK_EVERY_MS) result = begin()
    return Promise.race([result, sleep(ANSWER_WITHIN_MS, false, { ref: false })])
  }
}
