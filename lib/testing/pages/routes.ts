import type { Answer } from '../http/answer'
import type { ProviderRequest } from '../http/request'
import type { State } from '../state/state'
import { approvals, decide, home, revokeApproval, showSignIn, signIn, signOut } from './account'
import { changeURL, dashboard, deleteApplication, registerApplication, renewSecret } from './developers'
import { messagePage } from './layout'
import { cover, icon, picture } from './pictures'
import { style } from './style'
import { addPerson, people, person, removePerson, savePerson } from './users'

type Page = (request: ProviderRequest, state: State, parameter: string) => Answer

/** `:` matches one path segment, which is passed to the page. */
const pages: Readonly<Record<string, Readonly<Record<string, Page>>>> = {
  '/': { GET: home },
  '/style.css': { GET: style },
  '/icon.svg': { GET: icon },
  '/pictures/:': { GET: picture },
  '/covers/:': { GET: cover },
  '/sign-in': { GET: showSignIn, POST: signIn },
  '/sign-out': { POST: signOut },
  '/approval': { POST: decide },
  '/approvals': { GET: approvals, POST: revokeApproval },
  '/developers': { GET: dashboard, POST: registerApplication },
  '/developers/:': { POST: changeURL },
  '/developers/:/secret': { POST: renewSecret },
  '/developers/:/delete': { POST: deleteApplication },
  '/users': { GET: people, POST: addPerson },
  '/users/:': { GET: person, POST: savePerson },
  '/users/:/delete': { POST: removePerson },
}

/** The provider's pages for people. */
export function pageFor(request: ProviderRequest, state: State): Answer {
  const [, first = '', parameter, ...rest] = request.pathname.split('/')
  const pattern = parameter === undefined ? `/${first}` : ['', first, ':', ...rest].join('/')
  const methods = Object.hasOwn(pages, pattern) ? pages[pattern] : undefined
  if (methods === undefined) return messagePage(state, 404, 'Not found', 'This page does not exist.')
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const show = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (show === undefined) {
    const allow = Object.keys(methods).join(', ')
    return messagePage(state, 405, 'Method not allowed', `Use ${allow}.`, { allow })
  }
  return show(request, state, decoded(parameter ?? ''))
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
