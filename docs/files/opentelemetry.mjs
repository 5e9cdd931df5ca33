import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OUTCOMES } from 'passport-social-login'

const tracer = trace.getTracer('passport-social-login')
const spanAround = new AsyncLocalStorage() // the exchange, profile and verify of a login lie within its callback
const spans = new WeakMap()

for (const phase of ['start', 'callback', 'exchange', 'profile', 'verify']) {
  const { start, asyncEnd } = tracingChannel(`passport-social-login:${phase}`)
  const kind = phase === 'exchange' || phase === 'profile' ? SpanKind.CLIENT : SpanKind.INTERNAL

  start.bindStore(spanAround, (report) => {
    const outer = spanAround.getStore()
    const parent = outer ? trace.setSpan(context.active(), outer) : context.active()
    const span = tracer.startSpan(`social-login ${phase}`, { kind }, parent)
    spans.set(report, span)
    return span
  })
  asyncEnd.subscribe((report) => {
    const span = spans.get(report)
    span?.setAttribute('social_login.strategy', report.strategy)
    if (report.login) span?.setAttribute('social_login.login', report.login)
    if (report.code) span?.setAttribute('social_login.code', report.code)
    // What the user can fix (an expired login, a refused key) is not an error of the service.
    const isError = report.code === 'application_error' || OUTCOMES[report.code]?.type === 'error'
    if (isError) span?.setStatus({ code: SpanStatusCode.ERROR, message: report.code })
    span?.end()
  })
}
