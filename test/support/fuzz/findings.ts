import { exchangeRaw, type Outcome } from './connection'
import type { Part } from './requests'
import type { FuzzedApplication } from './world'

/** A fault of the application, with the request that causes it. */
export interface Finding {
  readonly what: string
  /** Escaped, so that it can become a curated case. */
  readonly request: string
  readonly part: number
}

export interface Played {
  readonly sent: Part
  readonly texts: readonly string[]
  readonly outcome: Outcome
  readonly part: number
}

// Limits reproductions of suspicious answers, which take longer than the request itself.
const MOST_LOOKS = 60

/** Collects each fault once, and minimises the request that causes it. */
export class Findings {
  readonly all: Finding[] = []
  /** The server no longer listens. */
  isDown = false
  #looks = 0
  readonly #application: FuzzedApplication

  constructor(application: FuzzedApplication) {
    this.#application = application
  }

  async judge(played: Played): Promise<void> {
    const { sent, texts, outcome, part } = played
    if (outcome.end === 'refused') {
      this.isDown = true
      this.#note('nobody listens any more', texts.join(''), part)
    } else if (outcome.end === 'hang') {
      this.#note('no answer and no close', sent.requests.map(({ text }) => text).join(''), part)
    }
    const at = outcome.statuses.findIndex((status, index) => isFault(status, texts[index] ?? ''))
    if (at >= 0) await this.#look(played, at)
  }

  async #look({ sent, texts, outcome, part }: Played, at: number): Promise<void> {
    this.#looks += 1
    if (this.#looks > MOST_LOOKS) return
    const template = await this.#culprit(sent, at)
    if (template === undefined) {
      this.#note(`status ${outcome.statuses[at]}, but not when sent alone`, texts.join(''), part)
      return
    }
    const what = await this.#causeOf(template)
    if (this.all.some((finding) => finding.what === what)) return
    const finding = { what, request: '', part }
    this.all.push(finding)
    finding.request = escaped(await this.#smaller(template))
  }

  /**
   * The request with this answer, or another one: a server may parse more or fewer requests on a connection than were
   * sent.
   */
  async #culprit({ requests }: Part, at: number): Promise<string | undefined> {
    for (const request of [requests[at], ...requests]) {
      if (request !== undefined && (await this.#failsAlone(request.text))) return request.text
    }
    return undefined
  }

  async #failsAlone(template: string): Promise<boolean> {
    const text = this.#application.fill(template)
    const { statuses } = await exchangeRaw({
      port: this.#application.port,
      deadline: this.#application.deadline,
      bytes: text,
      answers: 1,
      ending: 'answered',
      cutAt: undefined,
    })
    return isFault(statuses[0] ?? 0, text)
  }

  /** The first lines of a request's error in the application's log. */
  async #causeOf(template: string): Promise<string> {
    const id = `fuzz-${process.pid}-${this.#looks}-${this.all.length}`
    const withID = template.replace(/\r\nX-Request-Id:[^\r]*/gi, '').replace('\r\n', `\r\nX-Request-Id: ${id}\r\n`)
    if (!(await this.#failsAlone(withID))) return 'status 5xx'
    if (this.#application.output() === '') return 'status 5xx, and no log'
    const isLogged = (): boolean => this.#application.output().includes(id)
    for (let turn = 0; turn < 30 && !isLogged(); turn += 1) await new Promise((resolve) => setTimeout(resolve, 10))
    const lines = this.#application.output().split('\n')
    const line = lines.find((candidate) => candidate.includes(id) && candidate.includes('"err"')) ?? ''
    const stack = /"stack":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? 'status 5xx'
    const [message = '', ...frames] = stack.split('\\n')
    const places = frames.slice(0, 2).map((frame) => frame.replace(/.*\/(\w[\w.-]*\/[\w.-]+:\d+):\d+\)?$/, '$1'))
    return `status 500: ${message.slice(0, 120)} at ${places.join(' < ')}`
  }

  /** Removes what is not needed for the fault: header lines, then the body. */
  async #smaller(template: string): Promise<string> {
    const [head = '', ...rest] = template.split('\r\n\r\n')
    const body = rest.join('\r\n\r\n')
    let lines = head.split('\r\n')
    for (let at = lines.length - 1; at > 0; at -= 1) {
      const fewer = lines.toSpliced(at, 1)
      if (await this.#failsAlone(`${fewer.join('\r\n')}\r\n\r\n${body}`)) lines = fewer
    }
    for (let at = 1; at < lines.length; at += 1) {
      const pieces = (lines[at] ?? '').split(/(?<=[;,] ?)/)
      for (let piece = pieces.length - 1; pieces.length > 1 && piece >= 0; piece -= 1) {
        const fewer = pieces.toSpliced(piece, 1)
        const name = /^[\w-]+: /.test(fewer.join('')) ? '' : `${(lines[at] ?? '').split(':', 1).join()}: `
        const shorter = lines.toSpliced(at, 1, name + fewer.join(''))
        if (!(await this.#failsAlone(`${shorter.join('\r\n')}\r\n\r\n${body}`))) continue
        lines = shorter
        pieces.splice(0, pieces.length, ...fewer)
      }
    }
    const withoutBody = `${lines.join('\r\n')}\r\n\r\n`
    const smaller = (await this.#failsAlone(withoutBody)) ? withoutBody : withoutBody + body
    const withoutQuery = smaller.replace(/^(\S+ [^?\s]+)\?\S*/, '$1')
    return (await this.#failsAlone(withoutQuery)) ? withoutQuery : smaller
  }

  #note(what: string, bytes: string, part: number): void {
    if (!this.all.some((finding) => finding.what === what)) this.all.push({ what, request: escaped(bytes), part })
  }
}

/** 503 is the answer to a speculative request; any other 5xx is a fault. */
export function isFault(status: number, text: string): boolean {
  const isSpeculation = /^(sec-)?purpose:/im.test(text)
  return status >= 500 && !(status === 503 && isSpeculation)
}

/** Bytes as a string literal. */
export function escaped(bytes: string): string {
  const text = JSON.stringify(bytes).replace(
    /[\x7f-\xff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return text.length > 2000 ? `${text.slice(0, 1000)} ... (${text.length} characters) ... ${text.slice(-500)}` : text
}
