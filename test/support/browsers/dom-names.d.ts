/**
 * The names that playwright-core's types take from the DOM library. The library itself stays out: with it, browser globals would
 * pass the compiler in server code, too.
 */
interface Node {
  readonly nodeType: number
}
interface HTMLElement extends Node {
  readonly tagName: string
}
interface SVGElement extends Node {
  readonly tagName: string
}
interface HTMLElementTagNameMap {
  readonly html: HTMLElement
}
