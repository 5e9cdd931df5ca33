import passport from 'passport'
import { createClient } from 'redis'
import { Strategy, type StrategyOptions, type VerifyFunction } from '../../../lib'
import { checkPendingLoginStore, type StorageOutage } from '../../../lib/testing'
import { RedisStore } from './redis-store'

export async function connectRedis(REDIS_URL: string) {
  // Quoted: redis client
  const redis = createClient({
    url: REDIS_URL,
    // While Redis is away, commands fail at once instead of waiting in a queue.
    disableOfflineQueue: true,
    // A connection that has become silent is replaced. (By default the client gives up for good at such a timeout.)
    pingInterval: 1000,
    socket: { socketTimeout: 3000, reconnectStrategy: (retries) => Math.min(retries * 100, 2000) },
  })
  redis.on('error', (error) => console.error('Redis:', error)) // without a listener, an outage would end the process
  await redis.connect()
  // end
  return redis
}

type Client = Awaited<ReturnType<typeof connectRedis>>

export function redisStore(common: StrategyOptions, verify: VerifyFunction, redis: Client): void {
  // Quoted: redis strategy
  passport.use(new Strategy({ ...common, store: new RedisStore(redis) }, verify))
  // end
}

export async function checkStore(redis: Client, outage: StorageOutage): Promise<void> {
  // Quoted: check store
  /** Shortens what is left of the lifetime of every key. */
  const passTime = async (milliseconds: number): Promise<void> => {
    for (const key of await redis.keys('*')) {
      const left = await redis.pTTL(key)
      if (left > milliseconds) await redis.pExpire(key, left - milliseconds)
      else if (left > 0) await redis.del(key)
    }
  }
  await checkPendingLoginStore(() => new RedisStore(redis), { passTime, outage })
  // end
}
