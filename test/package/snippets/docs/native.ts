import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import express, { type Application } from 'express'
import passport from 'passport'

export function nativeServer(app: Application, issueToken: (user: Express.User) => string): void {
  // docs/guides/native.md#native-applications, block 1
}

export async function nativeApp(server: string, openBrowser: (url: string) => void): Promise<unknown> {
  // docs/guides/native.md#native-applications, block 2
  return response.ok ? response.json() : response.status
}
