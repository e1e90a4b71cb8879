import { rearmFormula, toCsvLine } from './csv';

test.each([
  ['=1+1', "'=1+1"],
  ['+cmd', "'+cmd"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\r=x', '"\'\r=x"'],
  ['+12025550101', '+12025550101'],
  ['-1001234567890', '-1001234567890'],
  ['a "b", c', '"a ""b"", c"'],
  ['ana@example.com', 'ana@example.com'],
])('a spreadsheet shows %j and never runs it', (value, cell) => {
  expect(toCsvLine([1, value, null])).toBe(`1,${cell},\r\n`);
});

test.each([
  ...[
    '=1+1',
    '+cmd',
    '-2',
    '@x',
    "'=1",
    "''+x",
    "'",
    "'quoted'",
    '',
    '+12025550101',
    'ana@example.com',
  ],
])('an import reads %j as it was before the export', (value) => {
  const [cell = ''] = toCsvLine([value]).split('\r\n');
  expect(rearmFormula(cell)).toBe(value);
});
