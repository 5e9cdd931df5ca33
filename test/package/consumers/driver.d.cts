import type { Server } from 'node:http'
export function play(
  createServer: (
    provider: { baseURL: string; clientID: string; clientSecret: string },
    place: { origin: string; port: number },
  ) => Listening | Promise<Listening>,
  inbox?: string,
  inChromium?: { readonly prefetches?: boolean; readonly hasWalls?: boolean; readonly noted?: string },
): Promise<void>
type Listening = Server | { readonly port: number; close(): unknown }
