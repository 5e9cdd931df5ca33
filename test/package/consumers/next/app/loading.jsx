// With it, Next begins its answer before it knows that a page redirects.
// biome-ignore lint/style/noDefaultExport: Next wants one.
export default function Loading() {
  return <p>One moment</p>
}
