import type { Server } from 'node:http'
export function play(
  createServer: (provider: { baseURL: string; clientID: string; clientSecret: string }) => Server | Promise<Server>,
  inbox?: string,
): Promise<void>
