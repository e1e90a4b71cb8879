import { cleanup, render, screen } from '@testing-library/react';
import { Name } from './name';

afterEach(cleanup);

test('each name of a text may break after its punctuation, and the text is unchanged', () => {
  render(
    <h2>
      <Name text="Roll back orders.shipment_sent to v1.  Now" />
    </h2>,
  );
  const heading = screen.getByRole('heading', {
    name: 'Roll back orders.shipment_sent to v1. Now',
  });
  const name = '<span class="name">orders.<wbr>shipment_<wbr>sent</span>';
  expect(heading.innerHTML).toBe(`Roll back ${name} to v1.  Now`);
});

test('an address may break after its @ and its dots', () => {
  render(
    <p>
      <Name text="ana+news@mail.example.com" />
    </p>,
  );
  expect(screen.getByText('ana+news@mail.example.com').innerHTML).toBe(
    'ana+news@<wbr>mail.<wbr>example.<wbr>com',
  );
});
