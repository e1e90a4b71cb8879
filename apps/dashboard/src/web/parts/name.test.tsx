import { cleanup, render, screen } from '@testing-library/react';
import { Name } from './name';

afterEach(cleanup);

test('a name may break after its punctuation, and its text is unchanged', () => {
  render(
    <p>
      <Name text="orders.shipment_sent" />
    </p>,
  );
  const name = screen.getByText('orders.shipment_sent');
  expect(name.innerHTML).toBe('orders.<wbr>shipment_<wbr>sent');
});
