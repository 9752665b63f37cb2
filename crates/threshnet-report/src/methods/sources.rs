//! What a methods section cites, numbered in the order of first mention.

/// A publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    SparseInput,
    Lasso,
    GroupLasso,
    Mcp,
    Scad,
    Cox,
    Breslow,
    Efron,
    Adam,
    Descent,
    Stability,
    Knockoffs,
    Chained,
    Plus632,
    Corrected,
    CIndex,
    Bootstrap,
    Calibration,
    SurvivalCalibration,
    Loess,
    NetBenefit,
    SurvivalNetBenefit,
    Tripod,
}

impl Source {
    fn text(self) -> &'static str {
        match self {
            Source::SparseInput => {
                "Luo B, Halabi S. Sparse-input neural network using group concave regularization. \
                 Transactions on Machine Learning Research 2025."
            }
            Source::Lasso => {
                "Tibshirani R. Regression shrinkage and selection via the lasso. J R Stat Soc B \
                 1996;58:267–88."
            }
            Source::GroupLasso => {
                "Yuan M, Lin Y. Model selection and estimation in regression with grouped variables. J R \
                 Stat Soc B 2006;68:49–67."
            }
            Source::Mcp => {
                "Zhang C-H. Nearly unbiased variable selection under minimax concave penalty. Ann Stat \
                 2010;38:894–942."
            }
            Source::Scad => {
                "Fan J, Li R. Variable selection via nonconcave penalized likelihood and its oracle \
                 properties. J Am Stat Assoc 2001;96:1348–60."
            }
            Source::Cox => {
                "Cox DR. Regression models and life-tables. J R Stat Soc B 1972;34:187–220."
            }
            Source::Breslow => {
                "Breslow N. Covariance analysis of censored survival data. Biometrics 1974;30:89–99."
            }
            Source::Efron => {
                "Efron B. The efficiency of Cox's likelihood function for censored data. J Am Stat Assoc \
                 1977;72:557–65."
            }
            Source::Adam => {
                "Kingma DP, Ba J. Adam: a method for stochastic optimization. International Conference on \
                 Learning Representations 2015."
            }
            Source::Descent => {
                "Friedman J, Hastie T, Tibshirani R. Regularization paths for generalized linear models \
                 via coordinate descent. J Stat Softw 2010;33(1)."
            }
            Source::Stability => {
                "Shah RD, Samworth RJ. Variable selection with error control: another look at stability \
                 selection. J R Stat Soc B 2013;75:55–80."
            }
            Source::Knockoffs => {
                "Candès E, Fan Y, Janson L, Lv J. Panning for gold: 'model-X' knockoffs for high \
                 dimensional controlled variable selection. J R Stat Soc B 2018;80:551–77."
            }
            Source::Chained => {
                "van Buuren S, Groothuis-Oudshoorn K. mice: multivariate imputation by chained equations \
                 in R. J Stat Softw 2011;45(3)."
            }
            Source::Plus632 => {
                "Efron B, Tibshirani R. Improvements on cross-validation: the .632+ bootstrap method. J Am \
                 Stat Assoc 1997;92:548–60."
            }
            Source::Corrected => {
                "Nadeau C, Bengio Y. Inference for the generalization error. Mach Learn 2003;52:239–81."
            }
            Source::CIndex => {
                "Harrell FE, Califf RM, Pryor DB, Lee KL, Rosati RA. Evaluating the yield of medical tests. \
                 JAMA 1982;247:2543–6."
            }
            Source::Bootstrap => {
                "Efron B. Bootstrap methods: another look at the jackknife. Ann Stat 1979;7:1–26."
            }
            Source::Calibration => {
                "Austin PC, Steyerberg EW. The Integrated Calibration Index (ICI) and related metrics for \
                 quantifying the calibration of logistic regression models. Stat Med 2019;38:4051–65."
            }
            Source::SurvivalCalibration => {
                "Austin PC, Harrell FE, van Klaveren D. Graphical calibration curves and the integrated \
                 calibration index (ICI) for survival models. Stat Med 2020;39:2714–42."
            }
            Source::Loess => {
                "Cleveland WS, Devlin SJ. Locally weighted regression: an approach to regression analysis \
                 by local fitting. J Am Stat Assoc 1988;83:596–610."
            }
            Source::NetBenefit => {
                "Vickers AJ, Elkin EB. Decision curve analysis: a novel method for evaluating prediction \
                 models. Med Decis Making 2006;26:565–74."
            }
            Source::SurvivalNetBenefit => {
                "Vickers AJ, Cronin AM, Elkin EB, Gonen M. Extensions to decision curve analysis, a novel \
                 method for evaluating diagnostic tests, prediction models and molecular markers. BMC Med \
                 Inform Decis Mak 2008;8:53."
            }
            Source::Tripod => {
                "Collins GS, Moons KGM, Dhiman P, et al. TRIPOD+AI statement: updated guidance for \
                 reporting clinical prediction models that use regression or machine learning methods. BMJ \
                 2024;385:e078378."
            }
        }
    }
}

/// Those that were cited so far.
#[derive(Default)]
pub struct Cited(Vec<Source>);

impl Cited {
    /// The mark of a publication in the text, such as `[3]`.
    pub fn mark(&mut self, source: Source) -> String {
        let known = self.0.iter().position(|cited| *cited == source);
        let number = known.unwrap_or_else(|| {
            self.0.push(source);
            self.0.len() - 1
        });
        format!("[{}]", number + 1)
    }

    /// The list, in the order of the marks.
    pub fn list(&self) -> Vec<&'static str> {
        self.0.iter().map(|source| source.text()).collect()
    }
}
