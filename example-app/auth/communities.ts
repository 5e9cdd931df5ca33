import type { RequestHandler } from 'express'
import type { ExchangeMethod, ProfileEndpoint, Provider } from 'passport-social-login'
import type { CommunityPaths } from './callback-path'

/** A community that people sign in at: a provider, as the strategy wants it, with what routes and pages need. */
export interface Community extends Provider, CommunityPaths {
  /**
   * The `provider` of profiles. Stored with each login, because the same user id belongs to different people at different
   * communities.
   */
  readonly name: string
  /** What pages call it. */
  readonly displayName: string
  readonly origin: string
  readonly host: string
  readonly callbackURL: string
  readonly callbackPath: string
  readonly exchangeMethod: ExchangeMethod | undefined
  readonly profileEndpoint: ProfileEndpoint | undefined
}

/** The communities of this application, and which of them a request is about. */
export class Communities {
  readonly #ofRequest = new WeakMap<object, Community>()

  constructor(readonly list: readonly [Community, ...Community[]]) {}

  /** Whether the application is served over https: its callbacks have the same origin. */
  get isHTTPS(): boolean {
    return new URL(this.list[0].callbackURL).protocol === 'https:'
  }

  /** The community of a login. Undefined if it is not configured any more. */
  find(name: string): Community | undefined {
    return this.list.find((community) => community.name === name)
  }

  /** The community of a request, for the strategy. */
  of(req: object): Community | undefined {
    return this.#ofRequest.get(req)
  }

  choose(req: object, community: Community): void {
    this.#ofRequest.set(req, community)
  }

  /** A handler that chooses a community for its routes. Each has its own, so the address of a request decides, and nothing else. */
  forRoutesOf(community: Community): RequestHandler {
    return (req, _res, next) => {
      this.choose(req, community)
      next()
    }
  }
}
