import { parse } from '@babel/parser'
import { type Node, type TraversalAncestors, traverse } from '@babel/types'
import { mutateRegExp } from './regular-expressions'

/** The kinds of changes. Each is described where it is made, below. */
export const RULES = [
  'condition',
  'refusal',
  'operand',
  'comparison',
  'limit',
  'element',
  'member',
  'call',
  'await',
  'copy',
  'catch',
  'pattern',
  'text',
  'wrapper',
  'option',
  'hand',
] as const

/** `hand` is the one of `by-hand.ts`. */
export type Rule = (typeof RULES)[number]

/** One change of one compiled file. */
export interface Mutant {
  readonly rule: Rule
  /** In `lib/`, without its extension. */
  readonly file: string
  /** The functions and classes around it, from the outermost to the innermost; empty at the top of the file. */
  readonly where: string
  /** The expression that is changed, as in the source on one line, and what it becomes. The second of its kind has ` (2)`. */
  readonly text: string
  readonly start: number
  readonly end: number
  readonly to: string
}

/** Calls in a chain that add, remove or change something, and return what they are called on, or the like. */
const CHAINED =
  /^(on|once|unref|catch|add|addListener|destroy|end|filter|normalize|replace|replaceAll|slice|toLowerCase|toSorted|toUpperCase|trim|trimEnd|trimStart|with)$/
const COMPARISONS: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const TRUTHS = new Set([...Object.keys(COMPARISONS), '===', '!==', 'in', 'instanceof'])
const ARITHMETIC = new Set(['+', '-', '*', '/', '%'])
/** What the compiler writes, and no file of `lib/` has. */
const COMPILER =
  /^(Object\.defineProperty\(exports, |exports\.\w+ = (void 0|exports)|(var )?__\w+( = |\()|module\.exports)/

type Change = readonly [rule: Rule, node: Node, to: string]

/** All mutants that the rules make of a compiled file. */
export function mutantsOf(file: string, code: string): Mutant[] {
  const textOf = ({ start, end }: Node): string => code.slice(start ?? 0, end ?? 0)
  const found: Mutant[] = []
  const counts = new Map<string, number>()
  traverse(parse(code, { sourceType: 'script' }).program, {
    enter(node, ancestors) {
      const parent = ancestors.at(-1)
      if (isOfCompiler(ancestors[1]?.node ?? node, textOf)) return
      for (const [rule, changed, to] of changesOf(node, parent, textOf)) {
        const where = namesAround(ancestors, textOf)
        const change = asWritten(`${textOf(changed)} -> ${to}`)
        const key = `${rule}, ${where}: ${change}`
        const count = (counts.get(key) ?? 0) + 1
        counts.set(key, count)
        const text = count === 1 ? change : `${change} (${count})`
        found.push({ rule, file, where, text, start: changed.start ?? 0, end: changed.end ?? 0, to })
      }
    },
  })
  return found
}

type Ancestor = TraversalAncestors[number]

function changesOf(node: Node, parent: Ancestor | undefined, textOf: (node: Node) => string): Change[] {
  return [
    ...conditions(node, parent),
    ...operands(node, textOf),
    ...limits(node, parent, textOf),
    ...elements(node, textOf),
    ...members(node),
    ...statements(node, textOf),
    ...copies(node, textOf),
    ...texts(node, parent, textOf),
    ...options(node, textOf),
  ]
}

/** A condition that always holds, and one that never does: a refusal, if what it leads to throws. */
function conditions(node: Node, parent: Ancestor | undefined): Change[] {
  const isTest = parent?.key === 'test' && /^(If|Conditional|While)/.test(parent.node.type)
  const isTruth =
    (node.type === 'BinaryExpression' && TRUTHS.has(node.operator)) ||
    (node.type === 'UnaryExpression' && node.operator === '!')
  const isOperand = parent?.node.type === 'LogicalExpression' || parent?.node.type === 'UnaryExpression'
  if (node.type === 'BooleanLiteral') return [['condition', node, String(!node.value)]]
  if (!(isTest || (isTruth && !isOperand))) return []
  const isRefusal = isTest && parent.node.type === 'IfStatement' && endsInThrow(parent.node.consequent)
  return [
    ['condition', node, 'true'],
    [isRefusal ? 'refusal' : 'condition', node, 'false'],
  ]
}

function endsInThrow(statement: Node): boolean {
  const last = statement.type === 'BlockStatement' ? statement.body.at(-1) : statement
  return last?.type === 'ThrowStatement'
}

/** One of two operands, or of the arguments of `Math.min` and `Math.max`, is left out; a comparison is at its limit. */
function operands(node: Node, textOf: (node: Node) => string): Change[] {
  if (node.type === 'LogicalExpression')
    return [
      ['operand', node, `(${textOf(node.left)})`],
      ['operand', node, `(${textOf(node.right)})`],
    ]
  if (node.type === 'CallExpression' && /^Math\.(min|max)$/.test(textOf(node.callee)))
    return node.arguments
      .filter(({ type }) => type !== 'SpreadElement')
      .map((argument) => ['operand', node, `(${textOf(argument)})`] as const)
  if (node.type !== 'BinaryExpression') return []
  const limit = COMPARISONS[node.operator]
  if (limit) return [['comparison', node, `${textOf(node.left)} ${limit} ${textOf(node.right)}`]]
  const isText = /['"`]/.test(textOf(node.left) + textOf(node.right))
  return ARITHMETIC.has(node.operator) && !isText && !isNumber(node)
    ? [['operand', node, `(${textOf(node.left)})`]]
    : []
}

/**
 * A number is one more and one less: a constant, what is compared with or given to a call, and a member of an object. A
 * great constant is twice and half as much, too: where a clock or a socket decides, nobody can see one more.
 */
function limits(node: Node, parent: Ancestor | undefined, textOf: (node: Node) => string): Change[] {
  if (!parent || !isNumber(node) || isNumber(parent.node)) return []
  const isConstant =
    (parent.key === 'init' || parent.key === 'right') && /^(exports\.)?[A-Z][A-Z\d_]+ =/.test(textOf(parent.node))
  const isCompared = parent.node.type === 'BinaryExpression' && parent.node.operator in COMPARISONS
  const isGiven = parent.key === 'arguments' || parent.node.type === 'ObjectProperty'
  if (!isConstant && !isCompared && !isGiven) return []
  const text = textOf(node)
  const changes = [
    `(${text} + 1)`,
    `(${text} - 1)`,
    ...(isConstant && /\d{3}/.test(text) ? [`(${text} * 2)`, `(${text} / 2)`] : []),
  ]
  return changes.map((to) => ['limit', node, to] as const)
}

/** Whether it is a number, or a product, sum or the like of numbers. */
function isNumber(node: Node): boolean {
  if (node.type === 'BinaryExpression') return isNumber(node.left) && isNumber(node.right)
  return node.type === 'NumericLiteral'
}

/** An element of a list, a set or a map is left out; of a list that is written as a text of several lines, a word. */
function elements(node: Node, textOf: (node: Node) => string): Change[] {
  if (node.type === 'ArrayExpression')
    return node.elements.flatMap((element) => (element ? [['element', element, ''] as const] : []))
  const text = textOf(node)
  if (node.type !== 'TemplateLiteral' || node.expressions.length > 0 || !text.includes('\n')) return []
  return Array.from(text.matchAll(/[^\s`]+/g), ({ 0: word, index }) => {
    return ['element', node, text.slice(0, index) + text.slice(index + word.length)] as const
  })
}

/** A member of an object is left out. */
function members(node: Node): Change[] {
  return node.type === 'ObjectExpression' ? node.properties.map((property) => ['member', property, ''] as const) : []
}

/** A call or assignment that is a statement, an `await`, and the content of `catch` and `finally` are left out. */
function statements(node: Node, textOf: (node: Node) => string): Change[] {
  if (node.type === 'AwaitExpression') return [['await', node, `(${textOf(node.argument)})`]]
  if (node.type === 'CatchClause' && node.body.body.length > 0) return [['catch', node.body, '{}']]
  if (node.type === 'TryStatement' && node.finalizer) return [['catch', node.finalizer, '{}']]
  if (node.type !== 'ExpressionStatement') return []
  const { expression } = node
  const plain = expression.type === 'AwaitExpression' ? expression.argument : expression
  const isCall = /^(Optional)?CallExpression$/.test(plain.type) && !textOf(plain).startsWith('super(')
  const isAssignment = plain.type === 'AssignmentExpression'
  const isOther =
    plain.type === 'UpdateExpression' || (plain.type === 'UnaryExpression' && /^(delete|void)$/.test(plain.operator))
  if (isAssignment && /^exports\./.test(textOf(plain))) return []
  return isCall || isAssignment || isOther ? [['call', node, ';']] : []
}

/** A copy is replaced by what it copies. */
function copies(node: Node, textOf: (node: Node) => string): Change[] {
  const spreads =
    node.type === 'ObjectExpression' ? node.properties : node.type === 'ArrayExpression' ? node.elements : []
  const [first] = spreads
  if (first?.type === 'SpreadElement')
    return spreads.length === 1
      ? [['copy', node, `(${textOf(first.argument)})`]]
      : node.type === 'ObjectExpression'
        ? [
            [
              'copy',
              node,
              `Object.assign(${textOf(first.argument)}, {${textOf(node).slice(1, -1).replace(textOf(first), '').replace(/^\s*,/, '')}})`,
            ],
          ]
        : []
  if (node.type !== 'CallExpression' || textOf(node.callee) !== 'Object.assign') return []
  const [target, ...rest] = node.arguments
  return target && textOf(target) === '{}' ? [['copy', node, `Object.assign(${rest.map(textOf).join(', ')})`]] : []
}

/** A part of a regular expression, a call in a chain, and a function around a value are left out. */
function texts(node: Node, parent: Ancestor | undefined, textOf: (node: Node) => string): Change[] {
  if (node.type === 'RegExpLiteral') return mutateRegExp(node.pattern, node.flags).map((to) => ['pattern', node, to])
  if (parent?.node.type === 'ExpressionStatement') return []
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return []
  const { callee, arguments: given } = node
  if (callee.type === 'MemberExpression' && callee.object.type !== 'Super' && CHAINED.test(textOf(callee.property)))
    return [['text', node, `(${textOf(callee.object)})`]]
  const [argument] = given
  const isFunction =
    callee.type === 'MemberExpression'
      ? textOf(callee.property) === 'race'
      : !/^(Super|Import)$/.test(callee.type) && textOf(callee) !== 'require'
  return isFunction && argument && argument.type !== 'SpreadElement' ? [['wrapper', node, `(${textOf(argument)})`]] : []
}

/** An option is checked, and its default is used. */
function options(node: Node, textOf: (node: Node) => string): Change[] {
  const [, table] = /^(?:exports\.)?([A-Z_]+_OPTIONS) = /.exec(textOf(node)) ?? []
  const object =
    node.type === 'VariableDeclarator' ? node.init : node.type === 'AssignmentExpression' ? node.right : null
  if (!table || object?.type !== 'ObjectExpression') return []
  return object.properties.flatMap((property) => {
    if (property.type !== 'ObjectProperty' || !/Expression$|^Identifier$/.test(property.value.type)) return []
    const [key, parser] = [textOf(property.key), textOf(property.value)]
    const to = `${key}: (value, ...rest) => ((${parser})(value, ...rest), (${parser})(undefined, ...rest))`
    return [['option', property, to] as const]
  })
}

/** What the compiler writes are statements at the top of a file. */
function isOfCompiler(node: Node, textOf: (node: Node) => string): boolean {
  return /Statement$|Declaration$/.test(node.type) && COMPILER.test(textOf(node))
}

function namesAround(ancestors: TraversalAncestors, textOf: (node: Node) => string): string {
  const names = ancestors.map(({ node }) => {
    const key =
      'id' in node && node.id ? node.id : 'key' in node && /^Class|^ObjectMethod/.test(node.type) ? node.key : null
    const isNamed =
      /^(Function|Class|ObjectMethod)/.test(node.type) || ('init' in node && /Function/.test(node.init?.type ?? ''))
    return key && typeof key === 'object' && isNamed ? textOf(key as Node) : ''
  })
  return names.filter((name) => name !== '').join('.')
}

/** On one line, and with the names of imports as the source has them, without the compiler's `(0, name_1.name)`. */
const asWritten = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/\(0, (\w+_1\.\w+)\)/g, '$1')
    .replace(/\b\w+_1\.(?=\w)/g, '')

/** The code of a file with the change. */
export function applyMutant({ start, end, to }: Mutant, code: string): string {
  // What is left out of a list leaves no comma behind: an empty place in a list would be an element.
  const rest = to === '' ? code.slice(end).replace(/^\s*,/, '') : code.slice(end)
  return code.slice(0, start) + to + rest
}
