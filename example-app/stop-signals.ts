import type { Logger } from './logger'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
// npm hands on the SIGINT that the terminal has sent to all processes already: within this time, both are one Ctrl-C.
const ONE_KEY_MS = 500
const INTERRUPTED = 130

/** Stops once, whatever signals come and how many; a second Ctrl-C ends the process at once. */
export function onStopSignal(stop: () => Promise<void>, logger: Logger): void {
  let isStopping = false
  let interruptedAt: number | undefined
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (signal === 'SIGINT') {
        const now = performance.now()
        if (interruptedAt !== undefined && now - interruptedAt > ONE_KEY_MS) process.exit(INTERRUPTED)
        interruptedAt ??= now
      }
      if (isStopping) return
      isStopping = true
      logger.info({ signal }, 'stopping')
      void stop()
    })
  }
}
