/** An HTML page that requests no favicon. */
export function page(body: string): string {
  return `<!doctype html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><body>${body}`
}

/** The application's page with its login links, each as a form, too. */
export function homePage(logins: readonly { readonly name: string }[], extra: string): string {
  const links = logins.map(
    ({ name }) => `<a href="/auth/${name}">Sign in with ${name}</a>
      <form method="post" action="/auth/${name}"><button>Sign in by POST with ${name}</button></form>`,
  )
  return page(`${links.join('\n')}${extra}`)
}
