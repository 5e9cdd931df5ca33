import type { ProviderBehaviours } from '../behaviours'
import { type Answer, type ProviderRequest, redirectTo } from '../http/request'
import { messagePage } from '../pages/layout'
import { approvalPage, signInPage } from '../pages/login'
import { signedInUser } from '../state/sessions'
import type { State } from '../state/state'
import type { Application } from '../types'
import { oneOf } from './api-answer'

/** Section 4.1: where the application sends the browser. Other parameters than `app_id` are ignored and not echoed. */
export function oauth(request: ProviderRequest, state: State): Answer {
  const isAllowed = request.method === 'GET' || (state.behaviours.looseRequests && request.method === 'POST')
  if (!isAllowed) {
    return messagePage(state, 405, 'This page is for a browser', 'Follow the link with GET.', { allow: 'GET' })
  }
  const appID = oneOf(request.query, 'app_id')
  const user = signedInUser(request, state)
  const { signInFirst } = state.behaviours
  if (user === undefined && signInFirst) return signInPage(state, { appID: appID ?? '' })
  if (appID === undefined) {
    const message = 'The link must name one application with app_id.'
    return messagePage(state, signInFirst ? 200 : 400, 'Which application?', message)
  }
  const application = state.applications.get(appID)
  if (application === undefined) {
    const message =
      'No application has this app_id. Developers shows those that are registered; a restart forgets them, and makes new ids.'
    return messagePage(state, signInFirst ? 200 : 404, 'Unknown application', message)
  }
  if (user === undefined) return signInPage(state, application)
  const grant = { appID, userID: user.user_id }
  state.grants.visit(grant)
  if (state.grants.isApproved(grant)) return approvedRedirect(application, user.user_id, state)
  return approvalPage(state, application, user)
}

/** Redirects to the application with a new key. */
export function approvedRedirect({ appID, redirectURL }: Application, userID: string, state: State): Answer {
  const authKey = state.grants.issueKey({ appID, userID })
  return redirectTo(redirectURLWith(authKey, redirectURL, state.behaviours))
}

/** The registered redirect URL with `auth_key` appended to its query, or as deployed servers append it. */
export function redirectURLWith(authKey: string, redirectURL: string, behaviours: ProviderBehaviours): string {
  const whole = behaviours.appendAuthKeyBlindly
    ? `${redirectURL}?auth_key=${authKey}`
    : withParameter(redirectURL, `auth_key=${encodeURIComponent(authKey)}`)
  return behaviours.escapeRedirectAmpersands ? whole.replaceAll('&', '&amp;') : whole
}

function withParameter(redirectURL: string, parameter: string): string {
  const url = new URL(redirectURL)
  // `searchParams` would re-encode the application's own parameters.
  url.search = url.search === '' ? parameter : `${url.search}&${parameter}`
  return url.href
}
