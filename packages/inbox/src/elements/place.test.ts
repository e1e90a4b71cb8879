import { computePlace } from './place';

const window = { width: 1_000, height: 800 };
const button = { left: 900, right: 936, top: 10, bottom: 46 };

describe('computePlace', () => {
  test.each([
    [
      'below the button, to its end',
      button,
      window,
      false,
      'left:536px;top:54px;width:400px;max-height:640px',
    ],
    [
      'from its start to the right in RTL',
      { ...button, left: 40, right: 76 },
      window,
      true,
      'left:40px;top:54px',
    ],
    [
      'inside of the window on the left',
      { ...button, left: 40, right: 76 },
      window,
      false,
      'left:8px',
    ],
    ['inside of the window on the right', button, window, true, 'left:592px'],
    [
      'with the width of a phone',
      button,
      { width: 320, height: 640 },
      false,
      'left:8px;top:54px;width:304px',
    ],
    [
      'above a button at the bottom',
      { ...button, top: 740, bottom: 776 },
      window,
      false,
      'bottom:68px;width:400px;max-height:640px',
    ],
    ['with the height that is left', button, { ...window, height: 400 }, false, 'max-height:338px'],
  ] as const)('places the list %s', (...[, box, size, isRtl, expected]) => {
    expect(computePlace(box, size, isRtl)).toContain(expected);
  });
});
