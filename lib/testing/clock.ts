import { checkArguments } from '../values'
import { MILLISECONDS } from './argument-kinds'

/**
 * The fake provider's clock. It follows the system's clock until it is moved; lifetimes and the rate limit follow it.
 * Delays of faults do not: they are real milliseconds.
 * @example
 * provider.clock.advance(10 * 60 * 1000 + 1) // ten minutes later: the key has expired
 */
export class Clock {
  private _offset = 0

  /** Milliseconds since the epoch by this clock. */
  now(): number {
    return Date.now() + this._offset
  }

  /**
   * Moves the clock by a number of milliseconds; a negative number turns it back.
   * @throws RangeError when `ms` is not finite; TypeError when it is no number.
   */
  advance(ms: number): void {
    checkArguments('advance', MILLISECONDS, [ms])
    this.set(this.now() + ms)
  }

  /**
   * Sets the clock to a time, in milliseconds since the epoch. It keeps running from there.
   * @throws RangeError when `ms` is not finite; TypeError when it is no number.
   */
  set(ms: number): void {
    checkArguments('set', MILLISECONDS, [ms])
    this._offset = ms - Date.now()
  }
}
