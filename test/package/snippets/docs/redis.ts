import passport from 'passport'
import { Strategy, type StrategyOptions, type VerifyFunction } from 'passport-social-login'
import { checkPendingLoginStore, type StorageOutage } from 'passport-social-login/testing'
import { createClient } from 'redis'
import { RedisStore } from './redis-store'

export async function connectRedis(REDIS_URL: string) {
  // docs/stores.md#redis, block 1
  return redis
}

type Client = Awaited<ReturnType<typeof connectRedis>>

export function redisStore(common: StrategyOptions, verify: VerifyFunction, redis: Client): void {
  // docs/stores.md#redis, block 2
}

export async function checkStore(redis: Client, outage: StorageOutage): Promise<void> {
  // docs/stores.md#the-check, block 1
}
