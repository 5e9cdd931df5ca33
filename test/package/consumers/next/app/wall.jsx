import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { userIn } from '../session.mjs'

/** A page for signed-in people, which leads all others elsewhere. */
export async function Wall({ to }) {
  if (!userIn({ headers: await headers() })) redirect(to)
  return <p>Signed in</p>
}
