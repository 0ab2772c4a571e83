export type ArithmeticOperator = '+' | '-' | '*' | '/' | '**';

/** An expression of a template that can be evaluated exactly: a path, numbers, arithmetic, conditions and a few filters. */
export type TemplateExpression =
  | { is: 'number'; value: number }
  | { is: 'text'; value: string }
  | { is: 'path'; root: 'value' | 'value_json'; keys: (string | number)[] }
  | { is: 'negative'; of: TemplateExpression }
  | { is: 'sum'; sign: ArithmeticOperator; left: TemplateExpression; right: TemplateExpression }
  | { is: 'filter'; name: string; argument: number | null; of: TemplateExpression }
  /** Splits the text `of` at a separator, and takes the element with index `at`. */
  | { is: 'split'; separator: string; at: number; of: TemplateExpression }
  /** Jinja's conditional `first if when else otherwise`. `otherwise` is null if the expression has no `else`. */
  | { is: 'choice'; when: TemplateCondition; first: TemplateExpression; otherwise: TemplateExpression | null };

export type TemplateCondition =
  | { is: 'all' | 'any'; left: TemplateCondition; right: TemplateCondition }
  | { is: 'not'; of: TemplateCondition }
  /** Test of a value: `defined`, `none` or `number`; `true` tests whether the value is truthy. */
  | { is: 'test'; name: 'defined' | 'none' | 'number' | 'true'; of: TemplateExpression }
  | { is: 'compared'; sign: string; left: TemplateExpression; right: TemplateExpression }
  /** Test whether an object has a member. */
  | { is: 'member'; name: string; of: TemplateExpression };
