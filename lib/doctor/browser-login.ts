import type { CallbackListener } from './callback-listener'
import type { LoginDriver } from './login'
import { Interrupted, type Prompt } from './prompt'

const SECOND = 'A second login tells whether the token stays the same.'

/** Logins by the person at the terminal, in a browser of theirs. */
export class BrowserLogin implements LoginDriver {
  readonly #prompt: Prompt
  readonly #listener: CallbackListener | undefined
  readonly #allowGet: boolean
  readonly #beforeAsking: () => void

  /**
   * @param listener catches callbacks; without it they are pasted
   * @param beforeAsking called before anything is written
   */
  constructor(
    prompt: Prompt,
    listener: CallbackListener | undefined,
    { allowGet, beforeAsking }: { readonly allowGet: boolean; readonly beforeAsking: () => void },
  ) {
    this.#prompt = prompt
    this.#listener = listener
    this.#allowGet = allowGet
    this.#beforeAsking = beforeAsking
  }

  async logIn(url: string, attempt: number): Promise<string | undefined> {
    this.#beforeAsking()
    const again = attempt > 1
    const task = again
      ? `\n${SECOND} Open it once more:\n\n  ${url}\n\n`
      : `\nOpen this in a browser, and log in:\n\n  ${url}\n\n`
    const skip = again ? ', or press Enter to end' : ''
    if (this.#listener === undefined)
      return (
        (await this.#prompt.ask(`${task}Then paste the address to which the browser came back${skip}: `)) || undefined
      )
    if (again && !this.#prompt.isInteractive) return undefined
    return this.#caught(this.#listener, `${task}The browser comes back to this program${skip}. `)
  }

  async mayExchangeByGet(): Promise<boolean> {
    if (this.#allowGet || !this.#prompt.isInteractive) return this.#allowGet
    this.#beforeAsking()
    const question =
      '\nOld servers exchange by GET alone: the secret is then in the logs of the provider.\nSend it so? [y/N] '
    return /^y(es)?$/i.test(((await this.#prompt.ask(question)) ?? '').trim())
  }

  async #caught(listener: CallbackListener, text: string): Promise<string | undefined> {
    const ended = new AbortController()
    if (this.#prompt.isInteractive) {
      this.#prompt.ask(text).then(
        () => ended.abort(),
        (error: unknown) => ended.abort(error),
      )
    } else this.#prompt.tell(`${text}\n`)
    const address = await listener.next(ended.signal)
    this.#prompt.cancel()
    if (ended.signal.reason instanceof Interrupted) throw ended.signal.reason
    return address
  }
}
