import { Deadline } from '../../lib/client/deadline'

/** A deadline that knows who still listens to it. */
export class WatchedDeadline extends Deadline {
  readonly listeners = new Set<unknown>()

  override onEnd(listener: (reason: unknown) => void): () => void {
    this.listeners.add(listener)
    const stop = super.onEnd(listener)
    return () => {
      this.listeners.delete(listener)
      stop()
    }
  }
}
