import Link from 'next/link'

// Next prefetches the link when it is seen and when it is hovered over; by a click it navigates.
// biome-ignore lint/style/noDefaultExport: Next wants one.
export default function Page() {
  return <Link href="/auth">Sign in</Link>
}
