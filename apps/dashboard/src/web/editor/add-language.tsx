import { canonicalizeLocale } from '@belfry/shared';
import { useState } from 'react';
import { Button } from '../parts/controls';
import { Field } from '../parts/field';
import { findLocaleProblem } from './definition';

/** Adds a language to a list. Says while typing why it cannot be added. */
export function AddLanguage({
  languages,
  onAdd,
}: {
  languages: readonly string[];
  onAdd: (language: string) => void;
}) {
  const [typed, setTyped] = useState('');
  const language = canonicalizeLocale(typed);
  const problem = findLocaleProblem(languages, typed);
  return (
    <div className="inline-form">
      <Field
        label="Add language"
        isMono
        value={typed}
        problem={problem}
        onChange={({ target }) => setTyped(target.value.trim())}
      />
      <Button
        disabled={language === undefined || problem !== undefined}
        onClick={() => {
          if (language !== undefined) onAdd(language);
          setTyped('');
        }}
      >
        {language === undefined ? 'Add' : `Add ${language}`}
      </Button>
    </div>
  );
}
