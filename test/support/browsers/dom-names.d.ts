/**
 * The DOM names that playwright-core's types use. The DOM library itself would make browser globals compile in server
 * code, too.
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
